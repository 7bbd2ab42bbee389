/** For unit tests alone: runs an operation on real files the way the frontend or the broker would, and collects what it sends. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cleanPath } from '../host/clean.ts';
import { makeGuard } from '../host/guarding.ts';
import type { ProgramRunner } from '../host/programs.ts';
import { resolveAsKernel } from '../host/resolve.ts';
import { walkPath } from '../host/walk.ts';
import type { Operation, Upload } from '../ops/operation.ts';
import { runOperation, type OpParts } from '../workers/run.ts';

export interface Ran<Result, Item> {
  readonly result: Result;
  readonly records: Item[];
  readonly bytes: Buffer;
  /** How often the effect was said to begin. */
  readonly begun: number;
}

/** Content as if it had been uploaded, in pieces of `piece` bytes. */
export function uploadOf(content: string | Uint8Array, piece = 64 * 1024): Upload {
  const bytes = Buffer.from(content);
  return {
    size: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    // eslint-disable-next-line @typescript-eslint/require-await -- what is uploaded is here already
    async *chunks(): AsyncGenerator<Uint8Array> {
      for (let start = 0; start < bytes.length; start += piece) yield bytes.subarray(start, start + piece);
    },
  };
}

/** Runs programs for real, found by the shell's usual search. */
export const realPrograms: ProgramRunner = {
  run: ({ program, args, descriptors = [] }) =>
    new Promise((resolve, reject) => {
      const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'ignore', ...descriptors] });
      child.once('error', reject);
      child.once('close', (status) => {
        resolve({ status, stdout: Buffer.alloc(0), stderr: Buffer.alloc(0), truncated: false });
      });
    }),
};

/** Resolves the path as the call's kind demands, runs the operation on this thread and closes the subject. */
export async function runOp<Args extends { path?: string }, Result, Item>(
  op: Operation<Args, Result, Item>,
  args: Args,
  given: Partial<OpParts> = {},
): Promise<Ran<Result, Item>> {
  const path = args.path ?? op.path?.fallback ?? '/';
  const spec = op.path;
  if (spec === undefined) throw new Error('the operation has no path');
  const subject = given.privileged === true ? walkPath(cleanPath(path), spec) : resolveAsKernel(path, spec);
  const pieces: Uint8Array[] = [];
  let begun = 0;
  const parts: OpParts = {
    privileged: false,
    signal: new AbortController().signal,
    subject,
    guard: makeGuard({ trees: [], readOnly: [], pids: [] }),
    programs: realPrograms,
    upload: undefined,
    root: '/',
    allowSetid: false,
    network: undefined,
    broker: undefined,
    onBegin: () => void begun++,
    ...given,
  };
  try {
    const result = (await runOperation(op, args, parts, (bytes) => Promise.resolve(void pieces.push(bytes)))) as Result;
    const bytes = Buffer.concat(pieces);
    const lines = op.kind === 'records' ? bytes.toString('utf8').split('\n').slice(0, -1) : [];
    return { result, records: lines.map((line) => JSON.parse(line) as Item), bytes, begun };
  } finally {
    subject.close();
  }
}
