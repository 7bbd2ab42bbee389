/** Stands in for tar-fs, which dockerode asks for at load time and which nothing here ever calls. Deliberately empty. */
module.exports = {};
