/**
 * Reads or replaces the crontab of one account, or lists accounts that have one. Runs in the broker alone, which has decided before
 * whose crontab it is; this does what was decided. Writes to one account come one after the other.
 */
import { checkAbort } from '../../abort.ts';
import { StewardError } from '../../errors.ts';
import { crontabFacts, installCrontab, readCrontab } from '../../host/cron/crontab.ts';
import { findCrontabs } from '../../host/cron/spool.ts';
import { crontabMistake } from '../../host/cron/syntax.ts';
import { KeyedLock } from '../../host/keyed-lock.ts';
import { operation, type OpContext, type Upload } from '../operation.ts';
import { parseSha256 } from '../files/common.ts';
import { manageArgs as args, manageResult as result, type CronArgs, type CronResult } from './manage-schema.ts';

/** Of one crontab that is installed. */
export const MAX_CRONTAB_BYTES = 65_536;

/** Keyed by account. */
const writes = new KeyedLock();

export const cronManage = operation<CronArgs, CronResult>({
  name: 'cron/manage',
  args,
  kind: 'bytes',
  result,
  upload: 'content',
  where: 'loop',
  async run({ user, if_match, dry_run: dry = false }, context) {
    if (context.broker === undefined) throw new StewardError('broker_unavailable');
    const { upload } = context;
    if (upload !== undefined && user !== undefined) {
      const expected = parseSha256('if_match', if_match);
      const content = await contentOf(upload);
      return writes.run(user, () => replace({ user, content, expected, dry }, context));
    }
    return user === undefined ? list(context, context.broker.accounts()) : read(user, context);
  },
});

async function read(user: string, context: OpContext): Promise<CronResult> {
  const content = await readCrontab(context.programs, user, context.signal);
  if (content !== undefined) await context.write(content);
  return { action: 'read', user, exists: content !== undefined, ...crontabFacts(content), accounts: [] };
}

/** What is to be installed. Throws for what no cron would take. */
async function contentOf(upload: Upload): Promise<Buffer> {
  if (upload.size > MAX_CRONTAB_BYTES) throw new StewardError('crontab_size', { size: upload.size });
  const pieces: Uint8Array[] = [];
  for await (const piece of upload.chunks()) pieces.push(new Uint8Array(piece));
  const content = Buffer.concat(pieces);
  if (content.includes(0)) throw new StewardError('crontab_nul');
  const isWhole = content.length === 0 || content.at(-1) === 0x0a;
  return isWhole ? content : Buffer.concat([content, Buffer.from('\n')]);
}

interface Replacement {
  readonly user: string;
  readonly content: Buffer;
  /** Hash that the present crontab must have. */
  readonly expected: string | undefined;
  readonly dry: boolean;
}

async function replace({ user, content, expected, dry }: Replacement, context: OpContext): Promise<CronResult> {
  checkAbort(context.signal); // it may have waited for another write
  const present = await readCrontab(context.programs, user, context.signal);
  const before = crontabFacts(present);
  if (expected !== undefined && expected !== before.sha256) {
    throw new StewardError('crontab_changed', { actual: before.sha256, expected });
  }
  if (dry) refuseMistake(content);
  else {
    context.begin();
    if (content.length > 0 || present !== undefined) await installCrontab(context.programs, user, content);
  }
  const previous = { previous_lines: before.lines, previous_sha256: before.sha256 };
  return { action: 'write', user, exists: content.length > 0, ...crontabFacts(content), accounts: [], ...previous, dry_run: dry };
}

function refuseMistake(content: Buffer): void {
  const mistake = crontabMistake(content.toString('latin1'));
  if (mistake !== undefined) throw new StewardError('crontab_rejected', { reason: mistake });
}

/** The accounts that may be listed and have a crontab, in that order. */
async function list({ programs, root, signal }: OpContext, accounts: readonly string[]): Promise<CronResult> {
  const found: CronResult['accounts'] = [];
  for (const { account, modified } of findCrontabs(root, accounts)) {
    const content = await readCrontab(programs, account, signal);
    if (content !== undefined) found.push({ user: account, lines: crontabFacts(content).lines, modified });
  }
  return { action: 'list', user: '', exists: false, lines: 0, jobs: 0, bytes: 0, sha256: '', accounts: found };
}
