/**
 * `login URL`: makes a context. The certificate is shown and pinned before the token is asked for, the token is tried before it is
 * stored, and it is never shown.
 */
import type { OwnCall, OwnCommand } from './own.ts';
import { askSecret, askYes, isInteractive } from '../call/prompt.ts';
import { Connection } from '../client/connection.ts';
import { readFingerprint, shownCertificate } from '../client/trust.ts';
import { readContexts, type ContextFile } from '../context/file.ts';
import { editContexts, storeToken } from '../context/store.ts';
import { readServer } from '../context/target.ts';
import { tokenFromFile, tokenIn } from '../context/token.ts';
import { CliError, EXIT, usageError } from '../exit.ts';
import { takeWord } from '../line.ts';
import { textOf } from '../options.ts';
import { forTerminal } from '../safety.ts';

/** A context's name is also that of its token's file, and stands in lists with commas. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** SHA-256 as people compare it: `AB:CD:...`. */
function spelled(sha256: string): string {
  return (sha256.toUpperCase().match(/../g) ?? []).join(':');
}

/** The fingerprint to pin: one that was given and is shown, or one that the person has said yes to. */
async function fingerprintFor(url: URL, { flags, io }: OwnCall): Promise<string | undefined> {
  if (url.protocol === 'http:') return undefined;
  const certificate = await shownCertificate(url);
  const given = textOf(flags, 'fingerprint');
  if (given !== undefined) {
    if (readFingerprint(given) !== certificate.sha256) {
      throw new CliError(EXIT.unreachable, `${url.origin} shows another certificate: ${spelled(certificate.sha256)}`);
    }
    return certificate.sha256;
  }
  if (!isInteractive(io)) throw usageError('without a terminal login needs --fingerprint: who runs the daemon knows it');
  io.stderr.write(
    forTerminal(
      `${url.origin} shows this certificate:\n  subject  ${certificate.subject.replaceAll('\n', ', ')}\n` +
        `  valid    ${certificate.validFrom} to ${certificate.validTo}\n  SHA-256  ${spelled(certificate.sha256)}\n`,
    ),
  );
  if (!(await askYes(io, 'Is that the one?'))) throw new CliError(EXIT.failed, 'not logged in');
  return certificate.sha256;
}

function mayBeContext(file: ContextFile, name: string): void {
  if (file.groups.has(name)) throw usageError(`${name} is a group of contexts in ${file.path}: give another name`);
}

async function login(call: OwnCall): Promise<number> {
  const { flags, io } = call;
  const line = [...call.words];
  const [address, given, extra] = [takeWord(line, flags), takeWord(line, flags), takeWord(line, flags)];
  if (address === undefined || extra !== undefined)
    throw usageError('login needs the address of a daemon: stewardctl login URL [NAME]');
  const url = readServer(address);
  const name = given ?? url.hostname.replace(/[[\]:]/g, '');
  if (!NAME.test(name)) throw usageError(`"${name}" is no name for a context: letters, digits, dots and dashes`);
  const file = await readContexts(io.env);
  mayBeContext(file, name);

  const sha256 = await fingerprintFor(url, call);
  const from = textOf(flags, 'token-file');
  const token = from === undefined ? tokenIn(await askSecret(io, 'Token: '), 'what was typed') : tokenFromFile(from);
  const trust = sha256 === undefined ? ({ kind: 'system' } as const) : ({ kind: 'fingerprint', sha256 } as const);
  const connection = new Connection({ url, trust, token });
  const server = await connection.server(io.signal).finally(() => connection.close());

  let current: string | undefined;
  await editContexts(io.env, (document, now) => {
    mayBeContext(now, name);
    current = now.current;
    const token_file = storeToken(now, name, token);
    const entry = { server: url.origin, ...(sha256 === undefined ? {} : { fingerprint: sha256 }), token_file };
    document.setIn(['contexts', name], document.createNode(entry));
    if (current === undefined) document.setIn(['current'], name);
  });
  const user = server.user === undefined ? '' : ` as ${server.user}`;
  const use = current === undefined || current === name ? '' : `; stewardctl context use ${name} makes it the current one`;
  io.stdout.write(forTerminal(`Logged in${user}: context ${name} in ${file.path}${use}\n`));
  return EXIT.done;
}

export const loginCommand: OwnCommand = {
  name: 'login',
  usage: 'URL [NAME]',
  summary: 'Make a context: pin the certificate, ask for the token and store it',
  details: [
    'Shows the SHA-256 of the certificate and pins it after a yes; --fingerprint says yes beforehand. The token is typed without ' +
      'being shown, or is the content of standard input or of --token-file, and is tried before it is stored with mode 0600.',
  ],
  local: true,
  run: login,
};
