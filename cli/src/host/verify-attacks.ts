/**
 * stewardctl verify: does the installed broker refuse what it must refuse? Starts its program on a scratch configuration, with all of
 * root's rights and without its unit's confinement, so that nothing but its own decisions can stop an attack, and tries a fixed list.
 */
import { randomBytes } from 'node:crypto';
import { readAudit } from '@steward/shared/audit/read.ts';
import type { AuditRecord } from '@steward/shared/audit/record.ts';
import { ERRORS } from '@steward/shared/errors.ts';
import { startAttacked, type BrokerStart } from './verify-attacks-broker.ts';
import type { AttackedBroker } from './verify-attacks-client.ts';
import { attackedGrants, attacks, type Attack, type AttackedPaths } from './verify-attacks-list.ts';
import { makeScratch, type Scratch } from './verify-attacks-scratch.ts';
import type { Finding } from './verify-finding.ts';

/** For all of it, in milliseconds. */
const LIMIT_MS = 20_000;
/** The status with which a broker leaves whose peer broke the protocol (EX_DATAERR of sysexits(3)). */
const VIOLATION = 65;
const GRANTED = 'granted read';

export interface AttackOptions extends BrokerStart {
  readonly limitMs?: number;
  /** The text of grants.yaml; another than the usual is for tests. */
  readonly grants?: (paths: AttackedPaths) => string;
}

/** What came of one attack: `problem` says in what it was not refused. */
interface Tried {
  readonly name: string;
  readonly problem: string | undefined;
  /** True for the record that must be in the log; none is asked for where it is absent. */
  readonly recorded?: (record: AuditRecord) => boolean;
}

/** Tries all attacks. One line for each that was not refused as it must be, or not recorded. */
export async function checkAttacks({ limitMs = LIMIT_MS, grants = attackedGrants, ...start }: AttackOptions): Promise<Finding> {
  const scratch = makeScratch(start.peer.account, grants);
  const signal = AbortSignal.timeout(limitMs);
  try {
    const tried = [...(await attackCalls(start, scratch, signal)), await attackFrame(start, scratch, signal)];
    const wrong = await judge(tried, scratch);
    return { holds: `${tried.length - 1} refused, as they must be`, wrong }; // one is the call that is granted
  } catch (error) {
    const reason = signal.aborted ? `not done within ${limitMs / 1000} seconds` : (error as Error).message;
    return { holds: '', wrong: [`not tried to the end: ${reason}`] };
  } finally {
    scratch.remove();
  }
}

/** Runs `use` with a broker that has ended afterwards, whatever happens. */
async function withBroker<T>(
  start: BrokerStart,
  scratch: Scratch,
  signal: AbortSignal,
  use: (broker: AttackedBroker) => Promise<T>,
): Promise<T> {
  const broker = await startAttacked(start, scratch, signal);
  try {
    return await use(broker);
  } catch (error) {
    await broker.stop();
    throw new Error(`${(error as Error).message} (${broker.said})`, { cause: error });
  } finally {
    await broker.stop();
  }
}

/** All that is asked in the manner of a frontend. The unknown operation comes last, because it ends the connection. */
function attackCalls(start: BrokerStart, scratch: Scratch, signal: AbortSignal): Promise<Tried[]> {
  return withBroker(start, scratch, signal, async (broker) => {
    const narrow = await capabilityFor(broker, scratch.tokens.narrow);
    const sessions = { narrow, wide: await capabilityFor(broker, scratch.tokens.wide), nobody: undefined };
    const granted = await broker.call({ op: 'files/read', args: { path: scratch.paths.note } }, GRANTED, narrow);
    const tried: Tried[] = [
      { name: GRANTED, problem: granted.text === '' ? `failed: ${granted.key ?? 'no content'}` : undefined },
    ];
    tried.push(await attackToken(broker));
    for (const [index, attack] of attacks(scratch.paths).entries())
      tried.push(await attackCall(broker, attack, sessions[attack.as], `attack-${index}`));
    return [...tried, await attackOperation(broker, narrow)];
  });
}

async function capabilityFor(broker: AttackedBroker, token: string): Promise<string> {
  const { key, capability } = await broker.open(token);
  if (capability === undefined) throw new Error(`no session for the right token: ${key ?? '?'}`);
  return capability;
}

async function attackToken(broker: AttackedBroker): Promise<Tried> {
  const { key } = await broker.open(randomBytes(32).toString('hex'));
  return { name: 'wrong token', problem: unless(key, 'bad_token'), recorded: ({ kind }) => kind === 'session-refused' };
}

async function attackCall(
  broker: AttackedBroker,
  attack: Attack,
  capability: string | undefined,
  request: string,
): Promise<Tried> {
  const { name, refusal } = attack;
  const { key } = await broker.call(attack, request, capability);
  const { code } = ERRORS[refusal];
  const recorded = (record: AuditRecord): boolean =>
    record.request === request && record.kind !== 'intent' && record.code === code;
  return { name, problem: unless(key, refusal), recorded };
}

/** Not answered: the broker ends. */
async function attackOperation(broker: AttackedBroker, capability: string): Promise<Tried> {
  const name = 'unknown operation';
  const call = broker.call({ op: 'files/no-such-operation', args: {} }, name, capability);
  const key = await call.then(
    (answer) => answer.key ?? 'a result',
    () => undefined,
  );
  if (key !== undefined) return { name, problem: `answered with ${key}` };
  return violation(name, await broker.exit, /operation/);
}

/** Nothing but a length that no frame has. */
function attackFrame(start: BrokerStart, scratch: Scratch, signal: AbortSignal): Promise<Tried> {
  return withBroker(start, scratch, signal, async (broker) => {
    await capabilityFor(broker, scratch.tokens.narrow);
    broker.raw(Buffer.alloc(4));
    return violation('malformed frame', await broker.exit, /frame/);
  });
}

const unless = (key: string | undefined, refusal: string): string | undefined =>
  key === refusal ? undefined : `answered with ${key ?? 'a result'}, not with ${refusal}`;

function violation(name: string, status: number | null, detail: RegExp): Tried {
  const problem = status === VIOLATION ? undefined : `the broker ended with ${status ?? 'a signal'}, not with ${VIOLATION}`;
  return { name, problem, recorded: (record) => record.kind === 'violation' && detail.test(record.detail ?? '') };
}

async function judge(tried: readonly Tried[], scratch: Scratch): Promise<string[]> {
  const records = await Array.fromAsync(readAudit(scratch.auditDir));
  const wrong = tried.flatMap(({ name, problem, recorded }) => {
    if (problem !== undefined) return [`${name}: ${problem}`];
    return recorded === undefined || records.some(recorded) ? [] : [`${name}: its refusal is not in the audit log`];
  });
  return scratch.untouched() ? wrong : [...wrong, 'a file outside of the granted tree was changed'];
}
