/**
 * The same privileged call twice: through the public endpoint, as a client of the frontend, and straight at a broker, as somebody who
 * has taken the frontend over. Both work on the same tree under the same grants, each with a log of its own.
 */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { verifyAudit } from '@steward/shared/audit/verify.ts';
import { errorText, ERRORS, type ErrorKey } from '@steward/shared/errors.ts';
import { eventually, startPair, type Pair } from './pair.ts';
import { makeHome, startBroker, type BrokerHome, type RawBroker } from './raw-broker.ts';
import type { SseClient } from './sse-client.ts';

/** Code of the error registry and text, or `OK`. */
export interface Said {
  readonly door: 'frontend' | 'broker';
  readonly code: string;
  readonly text: string;
}

/** The same for both doors, or made for the one whose broker has this process and this home. */
export type Args = Record<string, unknown> | ((own: Own) => Record<string, unknown>);

export interface Own {
  readonly pid: number;
  readonly configDir: string;
  readonly stateDir: string;
  readonly auditDir: string;
}

export interface Doors {
  readonly pair: Pair;
  readonly home: BrokerHome;
  readonly broker: RawBroker;
  /** `content` is the argument that travels as an upload. Arguments may depend on the door: each has files and processes of its own. */
  call(op: string, args: Args, content?: string): Promise<[frontend: Said, broker: Said]>;
  /** At one door alone: 0 the frontend, 1 the broker. */
  callAt(door: number, op: string, args: Args, content?: string): Promise<Said>;
  /** What must hold after every call: nothing left open or running, both logs whole. */
  checkNothingIsLeft(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Both doors for user `ops` with these grants (YAML below `users:`), among them files/find on the directory `searched`. `under`: a
 * command line that runs each side, whose own command line follows it; the process must stay the same.
 */
export async function openDoors(grants: string, searched: string, under: readonly string[] = []): Promise<Doors> {
  const daemon = 'limits: {requests_per_second: 100000, burst: 100000}\n';
  const pair = await startPair({ users: ['ops'], grants, daemon, under });
  const client = await pair.connect('ops');
  const home = makeHome(grants, daemon);
  const broker = await startBroker(home, { bundle: true, wrap: under });
  await broker.client.hello();
  await broker.client.open(home.token('ops'));
  await client.call('auth/sudo-rules'); // the pair's broker is there
  const brokers = [pair.pids('steward-broker')[0] ?? 0, broker.child.pid ?? 0];
  const descriptors = (): number[] => brokers.map((pid) => readdirSync(`/proc/${pid}/fd`).length);
  const throughFrontend = (op: string, args: Record<string, unknown>): Promise<Said> => askFrontend(client, op, args);
  // all workers are there, so that later only what is left over counts
  await Promise.all([1, 2, 3].map(() => throughFrontend('files/find', { path: searched, max_depth: 1 })));
  await Promise.all([1, 2, 3].map(() => broker.client.call('files/find', { path: searched, max_depth: 1 })));
  const usual = descriptors().map((open) => open + 12); // a worker that was ended and is started again has about ten
  const owns = [pair, home].map((own, index) => ({ ...own, pid: brokers[index] ?? 0 }));
  const callAt: Doors['callAt'] = (door, op, args, content) => {
    const own = owns[door];
    assert.ok(own);
    const given = typeof args === 'function' ? args(own) : args;
    if (door === 1) return askBroker(broker, op, given, content);
    return throughFrontend(op, content === undefined ? given : { ...given, content });
  };
  return {
    pair,
    home,
    broker,
    callAt,
    call: (op, args, content) => Promise.all([callAt(0, op, args, content), callAt(1, op, args, content)]),
    checkNothingIsLeft: async () => {
      await eventually(() => descriptors().every((open, index) => open <= (usual[index] ?? 0)), 30_000);
      for (const pid of brokers) assert.equal(readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim(), '');
      for (const directory of [pair.auditDir, home.auditDir]) assert.equal((await verifyAudit(directory)).state, 'good');
    },
    close: async () => {
      await Promise.all([pair.stop(), broker.stop()]);
      home.remove();
    },
  };
}

async function askFrontend(client: SseClient, op: string, args: Record<string, unknown>): Promise<Said> {
  const { result, error } = await client.rpc('tools/call', { name: op, arguments: { ...args, privileged: true } });
  const meta = (result?.['_meta'] ?? error?.data ?? {}) as Record<string, unknown>;
  const content = result?.['content'] as readonly { text: string }[] | undefined;
  const failed = error !== undefined || result?.['isError'] === true;
  const known = meta['steward/code'];
  const code = typeof known === 'string' ? known : error?.code === -32602 ? 'BAD_ARGS' : 'INTERNAL';
  return { door: 'frontend', code: failed ? code : 'OK', text: error?.message ?? content?.[0]?.text ?? '' };
}

async function askBroker({ client }: RawBroker, op: string, args: Record<string, unknown>, content?: string): Promise<Said> {
  const { key, params, value, bytes } = await client.call(
    op,
    args,
    content === undefined ? {} : { upload: Buffer.from(content) },
  );
  if (key === undefined) return { door: 'broker', code: 'OK', text: `${bytes.toString('latin1')}${JSON.stringify(value)}` };
  const known = key as ErrorKey;
  return { door: 'broker', code: ERRORS[known].code, text: errorText(known, params as Record<string, string>) };
}
