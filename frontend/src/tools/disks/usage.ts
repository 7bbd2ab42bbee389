/** Catalogue entry: words, text and JSON form of disks/usage. Both are made in passes over the records, of which there may be millions. */
import { disksUsage, type UsageRecord, type UsageSummary } from '@steward/shared/ops/disks/usage.ts';
import { arrayOf, jsonDocument, mapOf, type Member } from '../../render/document.ts';
import { escapeName } from '../../render/names.ts';
import { sizeWithUnit } from '../../render/sizes.ts';
import { joinLines } from '../../render/stream.ts';
import { tool, type Outcome } from '../tool.ts';

type Usage = Outcome<UsageSummary, UsageRecord>;

interface Shown {
  readonly args: { readonly all?: boolean; readonly max_depth?: number };
  readonly human: boolean;
}

export const disksUsageTool = tool({
  name: 'disks/usage',
  title: 'Directory disk usage',
  description:
    'Space used below a directory, like du. max_depth N lists sub-directories, all lists files, largest first. Hard links count once; symlinks are not followed. Text or JSON.',
  op: disksUsage,
  formats: true,
  human: true,
  text: (outcome, options) => ({ text: joinLines(lines(outcome, options)) }),
  json: (outcome, options) => ({ text: jsonDocument(members(outcome, options)) }),
});

async function* lines(outcome: Usage, { args, human }: Shown): AsyncGenerator<string> {
  const size = human ? sizeWithUnit : String;
  const depth = args.max_depth ?? 0;
  if (args.all === true) yield* section('Individual files (largest first):', outcome, 'file', size);
  if (depth > 0) yield* section(`Directory sizes (up to depth ${depth}, largest first):`, outcome, 'directory', size);
  const { path, total_size: total } = outcome.result;
  yield `Total size of ${escapeName(path)}: ${size(total)}`;
}

async function* section(
  title: string,
  outcome: Usage,
  kind: UsageRecord['kind'],
  size: (bytes: number) => string,
): AsyncGenerator<string> {
  yield title;
  for await (const record of outcome.records()) {
    if (record.kind === kind) yield `${size(record.size)}\t${escapeName(record.path)}`;
  }
  yield '---';
}

function members(outcome: Usage, { args, human }: Shown): Member[] {
  const { path, total_size: total, undecodable } = outcome.result;
  return [
    ['path', path],
    ['total_size', total],
    ['human_size', human ? sizeWithUnit(total) : undefined],
    ['directory_sizes', (args.max_depth ?? 0) > 0 ? mapOf(sizes(outcome, 'directory')) : undefined],
    ['file_sizes', args.all === true ? mapOf(sizes(outcome, 'file')) : undefined],
    ['undecodable', undecodable > 0 ? arrayOf(undecodables(outcome)) : undefined],
  ];
}

/** Paths that are not UTF-8 are not among them: several could look the same. */
async function* sizes(outcome: Usage, kind: UsageRecord['kind']): AsyncGenerator<[string, number]> {
  for await (const record of outcome.records()) {
    if (record.kind === kind && record.path_base64 === undefined) yield [record.path, record.size];
  }
}

async function* undecodables(outcome: Usage): AsyncGenerator<Omit<UsageRecord, 'kind'>> {
  for await (const { path, path_base64, size } of outcome.records()) {
    if (path_base64 !== undefined) yield { path, path_base64, size };
  }
}
