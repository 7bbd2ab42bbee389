/**
 * stewardctl: client of a steward daemon and administration of its installation. Runs with the rights of whoever starts it and
 * is trusted with that account's token; nothing a server sends is executed, and nothing of it reaches a terminal unescaped.
 */
import { EXIT, interrupted } from './exit.ts';
import { run } from './run.ts';

const stop = new AbortController();

/** Long enough to tell the server to stop the work; then the program ends whatever is still open. */
const GRACE_MS = 1000;

process.once('SIGINT', () => {
  stop.abort(interrupted());
  process.once('SIGINT', () => process.exit(EXIT.interrupted));
  setTimeout(() => process.exit(EXIT.interrupted), GRACE_MS).unref();
});

// A reader that has seen enough (`| head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? EXIT.done : EXIT.failed);
});

process.exitCode = await run(process.argv.slice(2), {
  // Opened on first use only.
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  program: import.meta.filename,
  signal: stop.signal,
  resized: (listener) => {
    process.stdout.on('resize', listener);
    return () => process.stdout.off('resize', listener);
  },
});
