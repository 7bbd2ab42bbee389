/**
 * stewardctl allowlist: the table of the broker that is installed beside this program, as that broker itself prints it. Starts the
 * broker's program only to print; it is given no configuration and no connection.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { takeWords } from './answer.ts';
import type { HostCall, HostCommand } from './command.ts';
import { CliError, EXIT } from '../exit.ts';

/** The table with its schemas, in bytes, at most. */
const MAX_OUTPUT = 16 * 1024 * 1024;
const TIME_MS = 60_000;

async function allowlist(call: HostCall): Promise<number> {
  takeWords(call, 'allowlist');
  const [json, digest] = [call.options.has('json'), call.options.has('digest')];
  const text = await printed(json || digest ? ['--print-allowlist', '--json'] : ['--print-allowlist']);
  call.out.write(digest ? `${(JSON.parse(text) as { digest: string }).digest}\n` : text);
  return EXIT.done;
}

/** What the broker's program prints. Throws CliError when it is not there or fails. */
export function printed(args: readonly string[]): Promise<string> {
  const program = fileURLToPath(new URL('./broker.js', import.meta.url));
  if (!existsSync(program)) throw new CliError(EXIT.failed, `${program} is not there: this is no installation of steward`);
  return new Promise((done, fail) => {
    const options = { env: {}, cwd: '/', maxBuffer: MAX_OUTPUT, timeout: TIME_MS };
    execFile(process.execPath, [program, ...args], options, (error, stdout) => {
      if (error === null) done(stdout);
      else fail(new CliError(EXIT.failed, `${program}: ${error.message.split('\n')[0] ?? ''}`));
    });
  });
}

export const allowlistCommands: readonly HostCommand[] = [
  {
    path: ['allowlist'],
    usage: '',
    summary: 'Print what the broker can be asked to do as root',
    options: [
      { name: 'json', summary: 'As data, with the schemas of arguments and results' },
      { name: 'digest', summary: 'Only the digest: the one that records of the audit log name' },
    ],
    run: allowlist,
  },
];
