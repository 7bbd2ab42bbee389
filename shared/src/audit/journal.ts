/**
 * Lines for the system journal, as an anchor outside the audit log: what stands there (and wherever the journal is forwarded to)
 * is not changed by rewriting the log. journald itself notes the process and the uid that wrote a line.
 *
 * The stream protocol of sd_journal_stream_fd(3): the datagram socket of the native protocol cannot be reached from Node. A host
 * without journald, or a line that it does not take, is no error.
 */
import { connect } from 'node:net';

const SOCKET = '/run/systemd/journal/stdout';
/** Milliseconds that journald may take; nothing waits for it. */
const PATIENCE_MS = 5000;
/** LOG_NOTICE of syslog(3). */
const PRIORITY = 5;

/** Writes one line under the identifier `steward-audit`. Returns at once, never throws. */
export function writeJournal(line: string, socketPath = SOCKET): void {
  const socket = connect(socketPath);
  socket.on('error', () => socket.destroy());
  socket.setTimeout(PATIENCE_MS, () => socket.destroy());
  socket.unref();
  // identifier, unit, priority, and no to: level prefix, syslog, kernel log, console
  socket.end(`steward-audit\n\n${PRIORITY}\n0\n0\n0\n0\n${line}\n`);
}
