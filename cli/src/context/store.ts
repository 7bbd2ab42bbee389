/**
 * Changes the file of contexts and stores tokens beside it: for this account alone, one change at a time, comments and order kept,
 * whole files only.
 */
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errnoOf } from '@steward/shared/errors.ts';
import type { Io } from '../io.ts';
import { withLock } from '../lock.ts';
import { contextPath, readContexts, type ContextFile } from './file.ts';

const EMPTY = '# The daemons that stewardctl talks to: see stewardctl(1).\ncontexts: {}\n';

/** What an edit does with the parsed file. */
export interface ContextDocument {
  setIn(path: readonly string[], value: unknown): void;
  deleteIn(path: readonly (string | number)[]): unknown;
  createNode(value: unknown): unknown;
}

/** Writes a file of mode 0600 by way of a temporary one. */
function replace(path: string, text: string): void {
  const made = `${path}.new-${process.pid}`;
  try {
    writeFileSync(made, text, { mode: 0o600, flag: 'wx' });
    chmodSync(made, 0o600);
    renameSync(made, path);
  } catch (error) {
    rmSync(made, { force: true });
    throw error;
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return EMPTY;
    throw error;
  }
}

/**
 * Edits the file of contexts while nobody else does; it is made where there is none. `change` is given what the file says now, and may
 * throw: then the file stays as it is.
 */
export async function editContexts(
  env: Io['env'],
  change: (document: ContextDocument, file: ContextFile) => void,
): Promise<void> {
  const { isMap, parseDocument } = await import('yaml');
  const directory = dirname(contextPath(env));
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  await withLock(directory, async () => {
    const file = await readContexts(env);
    const document = parseDocument(textOf(file.path));
    change(document, file);
    const contexts = document.get('contexts');
    if (isMap(contexts) && contexts.items.length > 0) contexts.flow = false;
    replace(file.path, document.toString({ lineWidth: 0 }));
  });
}

/** Where the token of a context is stored, relative to the file of contexts. */
export function storedTokenOf(name: string): string {
  return join('tokens', name);
}

/** Stores a token; returns its path relative to the file of contexts. Called while that file is edited, so that both belong together. */
export function storeToken(file: ContextFile, name: string, token: string): string {
  const relative = storedTokenOf(name);
  const path = join(dirname(file.path), relative);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  replace(path, `${token}\n`);
  return relative;
}
