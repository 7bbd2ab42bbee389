/** The process around a command line: its streams, Ctrl-C, a reader that leaves, the exit code. */
import { EXIT, interrupted } from './exit.ts';
import { run } from './run.ts';

/** Long enough to tell the server to stop the work; then the program ends whatever is still open. */
const GRACE_MS = 1000;

/** A signal that fires with Ctrl-C; a second one ends the program at once. */
function untilInterrupted(): AbortSignal {
  const stop = new AbortController();
  process.once('SIGINT', () => {
    stop.abort(interrupted());
    process.once('SIGINT', () => process.exit(EXIT.interrupted));
    setTimeout(() => process.exit(EXIT.interrupted), GRACE_MS).unref();
  });
  return stop.signal;
}

/** Runs the command line of this process and sets its exit code. */
export async function start(): Promise<void> {
  const signal = untilInterrupted();
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
    signal,
    resized: (listener) => {
      process.stdout.on('resize', listener);
      return () => process.stdout.off('resize', listener);
    },
  });
}
