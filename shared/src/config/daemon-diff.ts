/**
 * What differs between two daemon.yaml, and what of it can be applied to a running pair. Both processes use it, so that they
 * switch to the same values.
 */
import { deepFreeze } from './reader.ts';
import type { DaemonConfig } from './types.ts';

/** A value as reports show it: the inline form of YAML without quotes; `none` for what is absent. */
export function shown(value: unknown): string {
  if (value === undefined) return 'none';
  if (Array.isArray(value)) return `[${value.map(shown).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([key, member]) => `${key}: ${shown(member)}`);
    return `{${members.join(', ')}}`;
  }
  return value === '' ? '""' : JSON.stringify(value).replace(/^"|"$/g, '');
}

/** Every leaf (a scalar or a list) under its dotted name. */
function leaves(value: object, prefix: string, into: Map<string, unknown>): Map<string, unknown> {
  for (const [key, member] of Object.entries(value) as [string, unknown][]) {
    const name = prefix === '' ? key : `${prefix}.${key}`;
    if (typeof member === 'object' && member !== null && !Array.isArray(member)) leaves(member, name, into);
    else into.set(name, member);
  }
  return into;
}

/** Keys that are read at start only. */
function isForRestart(name: string): boolean {
  return /^(server|broker|audit|metrics)\./.test(name) || name === 'logging.format';
}

export interface DaemonDiff {
  /** `daemon: limits.requests_per_second 50 -> 20` */
  readonly changes: readonly string[];
  /** The same form, of keys that a running pair keeps. */
  readonly needsRestart: readonly string[];
  /** `after`, but with the old values of those keys. */
  readonly applied: DaemonConfig;
}

export function diffDaemon(before: DaemonConfig, after: DaemonConfig): DaemonDiff {
  const old = leaves(before, '', new Map());
  const fresh = leaves(after, '', new Map());
  const changes: string[] = [];
  const needsRestart: string[] = [];
  for (const name of new Set([...fresh.keys(), ...old.keys()])) {
    const [was, is] = [shown(old.get(name)), shown(fresh.get(name))];
    if (was !== is) (isForRestart(name) ? needsRestart : changes).push(`daemon: ${name} ${was} -> ${is}`);
  }
  const { server, broker, audit, metrics } = before;
  const logging = { ...after.logging, format: before.logging.format };
  return { changes, needsRestart, applied: deepFreeze({ ...after, server, broker, audit, metrics, logging }) };
}
