/** For unit tests alone: an operation's context on a fixture tree that collects what the operation sends. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { NO_GRANTS } from '../config/types.ts';
import type { BrokerServices, OpContext } from '../ops/operation.ts';

/** A context with everything that was emitted and how often the effect was said to begin. */
export interface TestContext<Item> extends OpContext<Item> {
  readonly records: Item[];
  readonly begun: { count: number };
}

/** Unprivileged, on `/`, unless told otherwise. The guard protects nothing and there are no programs. */
export function testContext<Item = never>(given: Partial<OpContext<Item>> = {}): TestContext<Item> {
  const records: Item[] = [];
  const begun = { count: 0 };
  return {
    privileged: false,
    signal: new AbortController().signal,
    subject: undefined,
    guard: { isProtected: () => false, isNear: () => false, check: () => undefined, list: { trees: [], readOnly: [], pids: [] } },
    programs: { run: () => Promise.reject(new Error('no programs in this test')) },
    upload: undefined,
    root: '/',
    allowSetid: false,
    network: undefined,
    broker: undefined,
    emit: (record) => {
      records.push(record);
    },
    emitLines: (lines) => {
      for (const line of lines.split('\n').slice(0, -1)) records.push(JSON.parse(line) as Item);
    },
    write: () => Promise.reject(new Error('no bytes in this test')),
    begin: () => {
      begun.count += 1;
    },
    ...given,
    records,
    begun,
  };
}

/** What the broker answers: nothing granted, nothing to list, no engine, no reload, unless told otherwise. */
export function testBroker(given: Partial<BrokerServices> = {}): BrokerServices {
  const reload = (): Promise<never> => Promise.reject(new Error('no reload in this test'));
  const engine = (): Promise<never> => Promise.reject(new Error('no container engine in this test'));
  const watch = (): never => {
    throw new Error('no audit log in this test');
  };
  return { grants: () => NO_GRANTS, accounts: () => [], engine, reload, watch, ...given };
}

/** Makes a directory with these files in it and removes it after `use`. Paths are relative. */
export async function withTree<T>(files: Readonly<Record<string, string>>, use: (root: string) => Promise<T>): Promise<T> {
  const root = mkdtempSync(join(tmpdir(), 'steward-test-'));
  try {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    }
    return await use(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** For `assert.rejects` and `assert.throws`: a registry error of that key, and the parameters that are named. */
export function failsWith(key: string, params: Readonly<Record<string, unknown>> = {}): (error: unknown) => boolean {
  return (error) => {
    const seen = error as { key?: unknown; params?: Record<string, unknown> };
    return seen.key === key && Object.entries(params).every(([name, value]) => seen.params?.[name] === value);
  };
}
