/** Catalogue entry: words and text of cron/manage. The content of a crontab is shown as it is. */
import { StewardError } from '@steward/shared/errors.ts';
import { cronManage, MAX_CRONTAB_BYTES } from '@steward/shared/ops/cron/manage.ts';
import type { CronResult } from '@steward/shared/ops/cron/manage-schema.ts';
import { table } from '../../render/columns.ts';
import { jsonText } from '../../render/json.ts';
import { escapeName } from '../../render/names.ts';
import { decoded, wholeText } from '../../render/stream.ts';
import { tool, type Outcome, type Text } from '../tool.ts';

const HEADER = ['USER', 'LINES', 'MODIFIED'];

export const cronManageTool = tool({
  name: 'cron/manage',
  title: 'Read or replace a crontab',
  description:
    'Read your crontab, or replace it with content (empty clears). Pass if_match = sha256 from a read. Other accounts need privileged: true and a grant rule.',
  op: cronManage,
  formats: true,
  human: false,
  emptyIsValue: ['content'],
  extra: { content: { type: 'string', description: 'full new crontab; "" clears' } },
  changes: ({ content, dry_run }) => content !== undefined && dry_run !== true,
  prepare: (args) => {
    checkContent(args['content']);
    return { ...args };
  },
  text: (outcome) => ({ text: texts[outcome.result.action](outcome) }),
  json: (outcome) => ({ text: documents[outcome.result.action](outcome) }),
});

/** Nothing that no cron would take leaves this process. */
function checkContent(content: unknown): void {
  if (content === undefined) return;
  if (typeof content !== 'string') throw new StewardError('crontab_type');
  const size = Buffer.byteLength(content);
  if (size > MAX_CRONTAB_BYTES) throw new StewardError('crontab_size', { size });
  if (content.includes('\0')) throw new StewardError('crontab_nul');
}

type Cron = Outcome<CronResult, never>;
type Forms = Readonly<Record<CronResult['action'], (outcome: Cron) => Text>>;

const texts: Forms = {
  read: (outcome) => decoded(outcome.bytes()),
  write: ({ result }) => written(result),
  list: ({ result: { accounts } }) => {
    if (accounts.length === 0) return 'No crontabs found for the accounts you may view.';
    return table(
      HEADER,
      accounts.map(({ user, lines, modified }) => [escapeName(user), String(lines), modified]),
    );
  },
};

function written({ user, lines, sha256, previous_lines = 0, previous_sha256 = '', dry_run = false }: CronResult): string {
  const now = `${lines} lines`;
  if (!dry_run) return `Crontab of ${escapeName(user)} replaced: ${now}, sha256 ${sha256} (was ${previous_sha256})`;
  const change = `from ${previous_lines} to ${now}, sha256 ${previous_sha256} -> ${sha256}`;
  return `Dry run: crontab of ${escapeName(user)} would change ${change}`;
}

const documents: Forms = {
  read: (outcome) => readDocument(outcome.result, decoded(outcome.bytes())),
  write: ({ result: { user, lines, jobs, sha256, previous_sha256, dry_run } }) =>
    jsonText({ user, lines, jobs, sha256, previous_sha256, ...(dry_run === true ? { dry_run } : {}) }),
  list: ({ result: { accounts } }) => jsonText(accounts),
};

async function* readDocument(result: CronResult, content: AsyncIterable<string>): AsyncGenerator<string> {
  const { user, exists, lines, jobs, bytes, sha256 } = result;
  yield jsonText({ user, exists, lines, jobs, bytes, sha256, content: await wholeText(content) });
}
