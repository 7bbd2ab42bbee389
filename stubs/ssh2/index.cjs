/** Stands in for ssh2, which dockerode asks for at load time and which nothing here ever calls. Deliberately empty. */
module.exports = {};
