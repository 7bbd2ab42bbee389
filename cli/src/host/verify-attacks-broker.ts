/**
 * A broker of `stewardctl verify`'s own: the installed program on a scratch configuration, with a connection as its descriptor 0 as its
 * launcher would give it. It ends with the connection, or is killed by its handle.
 */
import { spawn } from 'node:child_process';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { AttackedBroker } from './verify-attacks-client.ts';
import type { Scratch } from './verify-attacks-scratch.ts';

/** How the broker is started. */
export interface BrokerStart {
  /** Runtime, flags and program, without the directories. */
  readonly command: readonly string[];
  /** The account that the frontend would have, with its uid. */
  readonly peer: { readonly account: string; readonly uid: number };
}

/** Starts one. It is killed when `signal` is aborted. */
export async function startAttacked(
  { command, peer }: BrokerStart,
  scratch: Scratch,
  signal: AbortSignal,
): Promise<AttackedBroker> {
  const [near, far] = await socketPair(join(scratch.base, 'socket'));
  const [program = '', ...flags] = command;
  const args = [...flags, '--config-dir', scratch.configDir, '--state-dir', scratch.stateDir];
  const env = { STEWARD_PEER: `launcher-${peer.uid}` };
  const child = spawn(program, args, { stdio: [far, 'ignore', 'pipe'], env, cwd: '/', signal, killSignal: 'SIGKILL' });
  far.destroy();
  return new AttackedBroker(child, near);
}

/** Both ends of a connection; the path of the socket is gone afterwards. */
async function socketPair(path: string): Promise<[Socket, Socket]> {
  const accepted = Promise.withResolvers<Socket>();
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, accepted.resolve);
  await new Promise<void>((done, fail) => server.once('error', fail).listen(path, done));
  const near = connect({ path, allowHalfOpen: true });
  const far = await accepted.promise;
  server.close();
  return [near, far];
}
