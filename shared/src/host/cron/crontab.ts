/**
 * Crontabs of accounts through the host's own crontab(1), which alone knows where cron keeps them and checks what is installed. The
 * account is a name of /etc/passwd that has been judged; it is never an option, because such names do not begin with `-`.
 */
import { createHash } from 'node:crypto';
import { StewardError } from '../../errors.ts';
import type { ProgramRequest, ProgramResult, ProgramRunner } from '../programs.ts';

/** Crontabs that were made by hand may be longer than what callers can install. */
const MAX_OUTPUT = 4 * 1024 * 1024;
const TIME_MS = 60_000;
/** Words of cron, cronie and BusyBox for an account without a crontab. */
const NONE = /no crontab for|can't open .*: No such file or directory/;
const NAME_VALUE = /^(?:"[^"]*"|'[^']*'|[^\s=#"']+)[ \t]*=/;

/** The crontab of an account, or undefined when it has none. Throws `crontab_missing`, `program_failed`. */
export async function readCrontab(programs: ProgramRunner, account: string, signal?: AbortSignal): Promise<Buffer | undefined> {
  const given = { args: ['-u', account, '-l'], maxOutput: MAX_OUTPUT, ...(signal === undefined ? {} : { signal }) };
  const { status, stdout, stderr, truncated } = await run(programs, given);
  if (truncated) throw failed('the crontab is larger than 4 MiB');
  if (status === 0) return stdout;
  const words = stderr.toString('utf8').trim();
  if (NONE.test(words)) return undefined;
  throw failed(words);
}

/** Replaces the crontab of an account; empty content removes it. Throws `crontab_rejected`, and then nothing has changed. */
export async function installCrontab(programs: ProgramRunner, account: string, content: Buffer): Promise<void> {
  if (content.length === 0) return removeCrontab(programs, account);
  const { status, stderr } = await run(programs, { args: ['-u', account, '-'], input: content });
  if (status !== 0) throw new StewardError('crontab_rejected', { reason: stderr.toString('utf8').trim() });
}

async function removeCrontab(programs: ProgramRunner, account: string): Promise<void> {
  const { status, stderr } = await run(programs, { args: ['-u', account, '-r'] });
  const words = stderr.toString('utf8').trim();
  if (status !== 0 && !NONE.test(words)) throw failed(words);
}

const failed = (reason: string): StewardError => new StewardError('program_failed', { program: 'crontab', reason });

async function run(programs: ProgramRunner, request: Omit<ProgramRequest, 'program'>): Promise<ProgramResult> {
  try {
    return await programs.run({ program: 'crontab', timeoutMs: TIME_MS, ...request });
  } catch (error) {
    if (!(error instanceof StewardError) || error.key !== 'program_missing') throw error;
    throw new StewardError('crontab_missing');
  }
}

/** What there is to say about a crontab without showing it. */
export interface CrontabFacts {
  readonly lines: number;
  /** Lines that run something: not blank, no comment, no NAME=value. */
  readonly jobs: number;
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

/** A missing crontab has the facts of an empty one. */
export function crontabFacts(content: Buffer | undefined): CrontabFacts {
  const bytes = content ?? Buffer.alloc(0);
  const lines = bytes.toString('latin1').replace(/\n$/, '').split('\n');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { lines: bytes.length === 0 ? 0 : lines.length, jobs: lines.filter(isJob).length, bytes: bytes.length, sha256 };
}

function isJob(line: string): boolean {
  const text = line.trim();
  return text !== '' && !text.startsWith('#') && !isVariable(text);
}

/** True for `NAME=value` and `NAME = value`, with or without quotes (crontab(5)). `text` has no blanks before it. */
export function isVariable(text: string): boolean {
  return NAME_VALUE.test(text);
}
