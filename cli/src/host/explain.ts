/**
 * stewardctl grants explain: what the broker would decide, and which line of grants.yaml decides it. Paths are resolved on this
 * host in the broker's own way and keys are matched by the broker's own functions, with the rights of whoever asks; nothing is read
 * or changed.
 */
import { shown } from '@steward/shared/config/daemon-diff.ts';
import { grantDetails } from '@steward/shared/config/diff.ts';
import { loadSnapshot } from '@steward/shared/config/load.ts';
import { coveringKey, coveringPath } from '@steward/shared/config/match.ts';
import type { ConfigSnapshot, Grant } from '@steward/shared/config/types.ts';
import { errorText, StewardError } from '@steward/shared/errors.ts';
import { cleanPath } from '@steward/shared/host/clean.ts';
import { makeGuard } from '@steward/shared/host/guarding.ts';
import { sysctlKey } from '@steward/shared/host/sysctl.ts';
import type { PathSpec, PathSubject } from '@steward/shared/host/subject.ts';
import { walkPath } from '@steward/shared/host/walk.ts';
import { findOperation } from '@steward/shared/ops/index.ts';
import { resolve } from 'node:path';
import { readTarget } from './grant-words.ts';
import { noUser } from './answer.ts';
import type { HostCall } from './command.ts';
import { EXIT, usageError } from '../exit.ts';
import { oneLine } from '../safety.ts';

/** The question: one user, one tool, its arguments, and the grant that was found for it. */
interface Question {
  readonly user: string;
  readonly tool: string;
  readonly args: ReadonlyMap<string, string>;
  readonly grant: Grant;
  readonly snapshot: ConfigSnapshot;
}

interface Permission {
  /** What in the grant decided, for instance `paths: /srv/x`. */
  readonly rule: string;
  readonly object?: string;
}

const ANY_PATH: PathSpec = { need: 'any', lastLink: 'object', use: 'read', failure: 'access_path' };

/** What nobody may touch whatever the grant; the broker's own list has its processes and program files besides. */
function protectedTrees({ daemon, directory }: ConfigSnapshot): string[] {
  const own = ['/etc/steward', '/run/steward', '/var/lib/steward'];
  return [...own, directory, daemon.audit.directory, resolve(directory, daemon.server.tls.key_file)];
}

/** The text must lie under a granted prefix before anything is looked up, and the object that it leads to as well. */
function explainPath({ user, tool, args, grant, snapshot }: Question): Permission {
  if (grant.paths === undefined) throw new StewardError('restriction_missing', { tool, user, key: 'paths' });
  const path = args.get('path');
  if (path === undefined) return { rule: `paths: ${shown(grant.paths)}` };
  const restricted = new StewardError('path_restricted', { user, tool, path });
  const cleaned = cleanPath(path);
  const prefix = coveringPath(grant.paths, cleaned);
  if (prefix === undefined) throw restricted;
  const spec = findOperation(tool)?.path ?? ANY_PATH;
  const subject = reach(cleaned, spec, path);
  if (typeof subject === 'string') return { rule: `paths: ${prefix}`, object: `${cleaned} (${subject})` };
  try {
    const covering = coveringPath(grant.paths, subject.realPath);
    if (covering === undefined) throw restricted;
    const guard = makeGuard({ trees: protectedTrees(snapshot), readOnly: [], pids: [] });
    guard.check({ realPath: subject.realPath, stat: subject.object?.stat }, spec.use, path);
    return { rule: `paths: ${covering}`, object: subject.realPath };
  } finally {
    subject.close();
  }
}

/** The object, or the kernel's reason why it cannot be reached: that is no decision about the grant. */
function reach(cleaned: string, spec: PathSpec, shownPath: string): PathSubject | string {
  try {
    return walkPath(cleaned, spec, shownPath);
  } catch (error) {
    if (error instanceof StewardError && error.code === 'SYSTEM') return String(error.params['reason']);
    throw error;
  }
}

/** Reading kernel parameters needs only the grant; writing needs the key in the list. */
function explainKey({ args, grant }: Question): Permission {
  const name = args.get('key');
  const keys = grant.sysctl?.write_keys ?? [];
  if (name === undefined) return { rule: `sysctl.write_keys: ${shown(keys)}` };
  const key = sysctlKey(name).dotted;
  if (!args.has('value')) return { rule: 'allowed: true', object: key };
  const entry = coveringKey(keys, key);
  if (entry === undefined) throw new StewardError('sysctl_restricted', { key });
  return { rule: `sysctl.write_keys: ${entry}`, object: key };
}

/** The other restrictions are about objects that only the running daemon can ask for; they are shown as they stand. */
function explainCall(question: Question): Permission {
  const { tool, grant } = question;
  if (/^files\/|^disks\/(free|usage)$/.test(tool)) return explainPath(question);
  if (tool === 'kernel/system-control') return explainKey(question);
  const details = grantDetails(grant);
  return { rule: details === '' ? 'allowed: true' : `limited to ${details}` };
}

/** Arguments as `name=value`, or bare in the order of the tool's own arguments, the required ones first. */
function readArguments(tool: string, words: readonly string[]): ReadonlyMap<string, string> {
  const schema = findOperation(tool)?.args;
  const names = new Set([...(schema?.required ?? []), ...Object.keys(schema?.properties ?? {})]);
  const args = new Map<string, string>();
  for (const word of words) {
    const named = /^([a-z_]+)=(.*)$/s.exec(word);
    const name = named?.[1] ?? [...names].find((one) => !args.has(one));
    if (name !== undefined) args.set(name, named?.[2] ?? word);
    else if (schema !== undefined) throw usageError(`grants explain: unexpected "${word}"`);
  }
  return args;
}

function ungranted(tool: string, user: string): string {
  const own = { 'daemon/reload-config': 'reload_not_granted', 'audit/watch': 'watch_not_granted' } as const;
  return errorText(Object.hasOwn(own, tool) ? own[tool as keyof typeof own] : 'not_granted', { user, tool });
}

/** Runs the command. Resolves to the exit code: 0 allowed, 5 refused. */
export function explain(call: HostCall): Promise<number> {
  const [user, tool, ...words] = call.positional;
  if (user === undefined || tool === undefined)
    throw usageError(
      `grants explain: ${user === undefined ? 'USER' : 'TOOL'} is missing: stewardctl grants explain --help says what it takes`,
    );
  if (readTarget(tool).kind === 'resources') throw usageError('grants explain: write a tool, not a resource scheme');
  const snapshot = loadSnapshot(call.configDir);
  const names = snapshot.users.map(({ name }) => name);
  if (!names.includes(user)) throw noUser(user, names);
  const grant = snapshot.grants[user]?.tools[tool];
  const place = `${snapshot.files[2]}${grant === undefined ? '' : `:${grant.line}`}`;
  const say = (label: string, text: string): unknown => call.out.write(`${label.padEnd(8)}${oneLine(text)}\n`);
  const refuse = (text: string, why: string): number => {
    say('refuse', text);
    say('rule', `${place}: ${why}`);
    return EXIT.refused;
  };
  if (grant?.allowed !== true)
    return Promise.resolve(refuse(ungranted(tool, user), grant === undefined ? 'no grant' : 'not allowed: true'));
  try {
    const { rule, object } = explainCall({ user, tool, args: readArguments(tool, words), grant, snapshot });
    say('allow', `user ${user} may run ${tool} as root`);
    say('rule', `${place}: ${rule}`);
    if (object !== undefined) say('object', object);
    return Promise.resolve(EXIT.done);
  } catch (error) {
    if (!(error instanceof StewardError)) throw error;
    return Promise.resolve(refuse(error.message, grantDetails(grant) || 'allowed: true'));
  }
}
