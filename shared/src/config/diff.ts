/**
 * What a reload changes, for the report that people read: users, tokens, grants, resources, daemon keys. Hashes and salts never
 * appear; a token whose secret changed is only said to have changed.
 */
import { diffDaemon, shown } from './daemon-diff.ts';
import { deepFreeze } from './reader.ts';
import { NO_GRANTS, type ConfigSnapshot, type Grant, type TokenEntry, type UserEntry, type UserGrants } from './types.ts';

export interface ClosedToken {
  readonly user: string;
  readonly token: string;
}

export interface SnapshotDiff {
  readonly changes: string[];
  readonly needsRestart: string[];
  /** Tokens whose sessions end: removed or changed ones, expired ones, those of removed users. */
  readonly closed: ClosedToken[];
  /** What to work with from now on: `after` with the old values of keys that need a restart. */
  readonly applied: ConfigSnapshot;
}

/** Lines for the members of two records that differ, in the order of the newer one. */
function changedKeys(before: Readonly<Record<string, unknown>>, after: Readonly<Record<string, unknown>>): string[] {
  const names = new Set([...Object.keys(after), ...Object.keys(before)]);
  return [...names].flatMap((name) => {
    const [was, is] = [shown(before[name]), shown(after[name])];
    return was === is ? [] : [`${name} ${was} -> ${is}`];
  });
}

/** A token as far as it may be shown. */
function publicToken({ not_after, cidrs }: TokenEntry): Readonly<Record<string, unknown>> {
  return { not_after, cidrs };
}

function tokenLines(before: UserEntry, after: UserEntry): string[] {
  const prefix = `user ${after.name}: token`;
  const old = new Map(before.tokens.map((token) => [token.id, token]));
  const ids = new Set(after.tokens.map((token) => token.id));
  const removed = before.tokens.filter((token) => !ids.has(token.id)).map((token) => `${prefix} ${token.id} removed`);
  const others = after.tokens.flatMap((token) => {
    const was = old.get(token.id);
    if (was === undefined) return [`${prefix} ${token.id} added`];
    const secret = was.salt === token.salt && was.hash === token.hash ? [] : [`${prefix} ${token.id} changed`];
    return [...secret, ...changedKeys(publicToken(was), publicToken(token)).map((line) => `${prefix} ${token.id} ${line}`)];
  });
  return [...removed, ...others];
}

function userLines(before: readonly UserEntry[], after: readonly UserEntry[]): string[] {
  const old = new Map(before.map((user) => [user.name, user]));
  const names = new Set(after.map((user) => user.name));
  const removed = before.filter((user) => !names.has(user.name)).map((user) => `user ${user.name}: removed`);
  const others = after.flatMap((user) => {
    const was = old.get(user.name);
    if (was === undefined) return [`user ${user.name}: added`];
    const visible = ({ account, account_uid, not_after, cidrs }: UserEntry): Readonly<Record<string, unknown>> => ({
      account,
      account_uid,
      not_after,
      cidrs,
    });
    return [...changedKeys(visible(was), visible(user)).map((line) => `user ${user.name}: ${line}`), ...tokenLines(was, user)];
  });
  return [...others, ...removed];
}

/** The keys of a grant as reports show them: `sysctl.write_keys` under its full name, `allowed` only where it is not the usual. */
function visibleGrant(grant: Grant): Readonly<Record<string, unknown>> {
  const { line: _line, sysctl, allowed, ...rest } = grant;
  return { allowed: allowed ? undefined : false, ...rest, 'sysctl.write_keys': sysctl?.write_keys };
}

/** `paths [/var/log], setid true`, or nothing for a grant that is only allowed. */
export function grantDetails(grant: Grant): string {
  const parts = Object.entries(visibleGrant(grant)).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key} ${shown(value)}`],
  );
  return parts.join(', ');
}

/** The names of two records, the newer one's first. */
function names(before: object, after: object): string[] {
  return [...new Set([...Object.keys(after), ...Object.keys(before)])];
}

function grantLines(user: string, before: UserGrants, after: UserGrants): string[] {
  return names(before.tools, after.tools).flatMap((tool) => {
    const [was, is] = [before.tools[tool], after.tools[tool]];
    if (is === undefined) return [`grants ${user}: - ${tool}`];
    const details = grantDetails(is);
    if (was === undefined) return [`grants ${user}: + ${tool}${details === '' ? '' : ` (${details})`}`];
    const allowed = was.allowed === is.allowed ? [] : [`allowed ${was.allowed} -> ${is.allowed}`];
    const others = changedKeys({ ...visibleGrant(was), allowed: 0 }, { ...visibleGrant(is), allowed: 0 });
    const changed = [...allowed, ...others];
    return changed.length === 0 ? [] : [`grants ${user}: ~ ${tool} (${changed.join(', ')})`];
  });
}

function resourceLines(user: string, before: UserGrants, after: UserGrants): string[] {
  const schemes = names(before.resources, after.resources) as (keyof UserGrants['resources'])[];
  return schemes.flatMap((scheme) => {
    const [was, is] = [before.resources[scheme], after.resources[scheme]];
    if (is === undefined) return [`resources ${user}: - ${scheme}`];
    if (was === undefined) return [`resources ${user}: + ${scheme} ${shown(is)}`];
    return shown(was) === shown(is) ? [] : [`resources ${user}: ~ ${scheme} ${shown(was)} -> ${shown(is)}`];
  });
}

function isExpired(notAfter: string | undefined, now: number): boolean {
  return notAfter !== undefined && Date.parse(notAfter) <= now;
}

/** A session was opened under the conditions of its token and user; when any of them is another now, it ends. */
function closedTokens(before: readonly UserEntry[], after: readonly UserEntry[], now: number): ClosedToken[] {
  const users = new Map(after.map((user) => [user.name, user]));
  return before.flatMap((was) =>
    was.tokens.flatMap((token) => {
      const user = users.get(was.name);
      const is = user?.tokens.find((one) => one.id === token.id);
      const same =
        user !== undefined &&
        is !== undefined &&
        is.salt === token.salt &&
        is.hash === token.hash &&
        changedKeys(publicToken(token), publicToken(is)).length === 0 &&
        shown(user.cidrs) === shown(was.cidrs) &&
        !isExpired(user.not_after, now) &&
        !isExpired(is.not_after, now);
      return same ? [] : [{ user: was.name, token: token.id }];
    }),
  );
}

/** Compares the configuration in force with a new one. `now` is in milliseconds since the epoch. */
export function diffSnapshots(before: ConfigSnapshot, after: ConfigSnapshot, now = Date.now()): SnapshotDiff {
  const daemon = diffDaemon(before.daemon, after.daemon);
  const perUser = (lines: (user: string, was: UserGrants, is: UserGrants) => string[]): string[] =>
    names(before.grants, after.grants).flatMap((user) =>
      lines(user, before.grants[user] ?? NO_GRANTS, after.grants[user] ?? NO_GRANTS),
    );
  const changes = [...userLines(before.users, after.users), ...perUser(grantLines), ...perUser(resourceLines), ...daemon.changes];
  return {
    changes,
    needsRestart: [...daemon.needsRestart],
    closed: closedTokens(before.users, after.users, now),
    applied: deepFreeze({ ...after, daemon: daemon.applied }),
  };
}
