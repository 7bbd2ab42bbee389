/** Stands in for protobufjs, which dockerode asks for at load time and which nothing here ever calls. Deliberately empty. */
module.exports = {};
