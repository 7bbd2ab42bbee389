/**
 * Runs inside the virtual machine of the tests, as root: takes commands from a port that only the test outside holds the other
 * end of, one JSON line each, and answers with what they gave. Not part of the product.
 */
import { execFile } from 'node:child_process';
import { openSync, readSync, writeSync } from 'node:fs';

/** The port can be opened once, so it is one descriptor for both directions. */
const port = openSync('/dev/virtio-ports/test.agent', 'r+');
const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C.UTF-8' };

function answer(id, result) {
  const bytes = Buffer.from(`${JSON.stringify({ id, ...result })}\n`);
  for (let at = 0; at < bytes.length;) at += writeSync(port, bytes, at);
}

/** Commands run one after the other. */
function run({ id, argv, input }) {
  return new Promise((done) => {
    const [program, ...args] = argv;
    const options = { env, cwd: '/', timeout: 120_000, maxBuffer: 64 << 20 };
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      const known = error === null ? 0 : error.code;
      const status = typeof known === 'number' ? known : 255;
      answer(id, { status, stdout, stderr: status === 255 ? `${stderr}${error.message}` : stderr });
      done();
    });
    child.stdin?.on('error', () => undefined); // It need not read what it is given.
    child.stdin?.end(input);
  });
}

const buffer = Buffer.alloc(65536);
let rest = '';
for (;;) {
  const length = readSync(port, buffer);
  if (length === 0) process.exit(0); // Nobody holds the other end any more.
  rest += buffer.toString('utf8', 0, length);
  for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
    const line = rest.slice(0, end);
    rest = rest.slice(end + 1);
    await run(JSON.parse(line));
  }
}
