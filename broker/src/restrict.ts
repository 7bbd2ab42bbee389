/**
 * On which object a grant holds: the second half of the decision, made on the object that was reached and not on what was typed.
 * A restriction hands on the descriptors that it judged, and the operation acts on nothing else.
 */
import { readFileSync } from 'node:fs';
import { coveringKey, coveringPath } from '@steward/shared/config/match.ts';
import { StewardError, type ErrorKey } from '@steward/shared/errors.ts';
import { cleanPath } from '@steward/shared/host/clean.ts';
import { checkSubject } from '@steward/shared/host/guarding.ts';
import type { PathSpec, PathSubject } from '@steward/shared/host/subject.ts';
import { sysctlKey } from '@steward/shared/host/sysctl.ts';
import { walkPath } from '@steward/shared/host/walk.ts';
import type { ImmediateRestriction, Restricted, RestrictionInput } from '@steward/shared/catalogue/row.ts';

/** For rows that act on no object, or only on the caller's own. */
export const none: ImmediateRestriction = {
  name: 'none',
  says: 'acts on no chosen object',
  decide: () => ({ object: '', rule: '' }),
};

/** Tools with `paths` in their grant. */
export const byPaths: ImmediateRestriction = {
  name: 'paths',
  says: 'the path, cleaned, lies under `paths` before anything is probed; the object reached without following any link does too',
  decide(input) {
    const { grant, tool, user } = input;
    if (grant.paths === undefined) throw new StewardError('restriction_missing', { tool, user, key: 'paths' });
    return decideByPath(input, grant.paths, 'path_restricted', { user, tool });
  },
};

/** Resource reads with a `file://` list; the list arrives as the `paths` of the grant. */
export const byResourcePaths: ImmediateRestriction = {
  name: 'resource paths',
  says: 'as `paths`, with the entries of the resource list',
  decide(input) {
    const { grant, tool, user } = input;
    return decideByPath(input, grant.paths ?? [], 'resource_not_granted', { user, uri: tool });
  },
};

/** For the resource that is one object: the list arrives as the `units` of the grant. */
export const byWholeResource: ImmediateRestriction = {
  name: 'resource list',
  says: 'the resource list holds "*"',
  decide({ grant, user, tool }) {
    if (grant.units?.includes('*') !== true) throw new StewardError('resource_not_granted', { user, uri: tool });
    return { object: tool, rule: `resources: ${tool}` };
  },
};

function decideByPath(
  { args, grant, op, guard }: RestrictionInput,
  prefixes: readonly string[],
  refusal: ErrorKey,
  params: Readonly<Record<string, string>>,
): Restricted {
  const spec: PathSpec | undefined = op.path;
  const typed = args['path'] ?? spec?.fallback;
  if (spec === undefined || typeof typed !== 'string') throw new Error(`${op.name} is restricted by path but takes none`);
  const restricted = (): StewardError => new StewardError(refusal, { ...params, path: typed });
  const path = cleanPath(typed);
  if (coveringPath(prefixes, path) === undefined) throw restricted();
  const subject = walkPath(path, spec);
  try {
    const prefix = coveringPath(prefixes, subject.realPath);
    if (prefix === undefined) throw restricted();
    checkSubject(guard, subject, spec.use);
    if (spec.use === 'write') checkHardLinks(subject);
    return {
      subject,
      object: subject.realPath,
      rule: `paths: ${prefix}`,
      args: { ...args, path },
      allowSetid: grant.setid === true,
    };
  } catch (error) {
    subject.close();
    throw error;
  }
}

/**
 * Where ordinary accounts may link to files of others, a name inside a grant may be a link to a file outside of it. proc(5),
 * protected_hardlinks.
 */
export function checkHardLinks({ object, path }: PathSubject, kernelProtects = hardLinksProtected): void {
  if (object === undefined || !object.stat.isFile() || object.stat.nlink <= 1n) return;
  if (!kernelProtects()) throw new StewardError('hard_link', { path });
}

function hardLinksProtected(): boolean {
  try {
    return readFileSync('/proc/sys/fs/protected_hardlinks', 'latin1').trim() !== '0';
  } catch {
    return false;
  }
}

/** kernel/system-control: everything may be read; a key that is written must be in `sysctl.write_keys`. */
export const bySysctlKey: ImmediateRestriction = {
  name: 'sysctl',
  says: 'reads are free; a written key matches `sysctl.write_keys` (keys that lead to root only by an entry without wildcards)',
  decide({ args, grant }) {
    const { key, value } = args as { readonly key?: string; readonly value?: string };
    const dotted = key === undefined || key === '' ? '' : sysctlKey(key).dotted;
    const object = `sysctl ${dotted === '' ? '(all)' : dotted}`;
    if (dotted === '' || value === undefined || value === '') return { object, rule: 'allowed' };
    const entry = coveringKey(grant.sysctl?.write_keys ?? [], dotted);
    if (entry === undefined) throw new StewardError('sysctl_restricted', { key: dotted });
    return { object, rule: `sysctl.write_keys: ${entry}` };
  },
};
