/**
 * What every file of attacks at both doors stands on: a directory, both doors for all of its tests, and the end of both, also when
 * a test or the preparation failed. Test only.
 */
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { openDoors, type Doors } from './both-doors.ts';
import { isRoot } from './pair.ts';

/** With what the doors are opened. */
export interface Opening {
  /** YAML below `users:`. */
  readonly grants: string;
  /** A directory that files/find may search; the frame's own unless said otherwise. */
  readonly searched?: string;
  /** A command line that runs each side. */
  readonly under?: readonly string[];
}

export interface FrameOptions {
  /** Part of the directory's name. */
  readonly name: string;
  /** Plants what the tests need, and says with what the doors are opened. */
  readonly prepare: (base: string) => Opening;
  /** Takes back what removing the directory does not; also after a preparation that failed half way. */
  readonly undo?: () => void;
  /** Runs where this is not root too. */
  readonly anybody?: boolean;
}

export interface Frame {
  /** Without links in its path; everybody may enter it. */
  readonly base: string;
  /** Once the tests run. */
  readonly doors: Doors;
}

/** Every way to change a file; the path is added. */
export const WRITES: readonly (readonly [op: string, args: Readonly<Record<string, unknown>>, content?: string])[] = [
  ['files/create', {}, 'evil'],
  ['files/update', { append: true }, 'evil'],
  ['files/update', { start_line: 1, end_line: 1 }, 'evil'],
  ['files/chmod', { mode: '777' }],
  ['files/chown', { owner: '1:1' }],
];

/** Grants of user `ops`: these tools of the group `files` below a directory, and `more`, lines of further tools. */
export function fileGrants(directory: string, tools: readonly string[], more = ''): string {
  const lines = tools.map((tool) => `      files/${tool}: {allowed: true, paths: ["${directory}"]}\n`);
  return `  ops:\n    tools:\n${lines.join('')}${more}`;
}

/** For the whole of a test file: opened before its first test, closed and removed after its last one. */
export function doorFrame({ name, prepare, undo, anybody = false }: FrameOptions): Frame {
  const base = realpathSync(mkdtempSync(join(tmpdir(), `steward-${name}-`)));
  chmodSync(base, 0o755);
  let doors: Doors | undefined;
  const runs = isRoot || anybody;
  before(async () => {
    if (!runs) return;
    await nextTurn(); // a hook begins at once, before the file has defined what stands below its frame
    const { grants, searched = base, under } = prepare(base);
    doors = await openDoors(grants, searched, under);
  });
  after(async () => {
    await doors?.close();
    try {
      if (runs) undo?.();
    } finally {
      rmSync(base, { recursive: true, force: true });
    }
  });
  return {
    base,
    get doors() {
      assert.ok(doors, 'the doors are open');
      return doors;
    },
  };
}
