/** Stands in for @grpc/grpc-js, which dockerode asks for at load time and which nothing here ever calls. Deliberately empty. */
module.exports = {};
