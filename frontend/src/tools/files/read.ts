/** Catalogue entry: words and text of files/read. */
import { filesRead, type ReadSummary } from '@steward/shared/ops/files/read.ts';
import { sha256Meta } from '../../render/meta.ts';
import { decoded } from '../../render/stream.ts';
import { tool } from '../tool.ts';

export const filesReadTool = tool({
  name: 'files/read',
  title: 'Read file contents',
  description:
    'Read a text file: whole (first 10240 bytes), by lines (start_line/end_line, wins) or by bytes (offset/limit). Raw text only; binary files are refused. See files/filetype.',
  op: filesRead,
  formats: false,
  human: false,
  text: (outcome) => {
    const text = withWarning(decoded(outcome.bytes()), warningOf(outcome.result));
    return { text, ...sha256Meta(outcome.result.sha256) };
  },
});

/** What is appended when a cap, not the caller, cut the answer. */
function warningOf(cut: ReadSummary): string {
  if (!cut.truncated) return '';
  const size = cut.size === null ? 'unknown' : String(cut.size);
  const place = `File truncated at ${String(cut.at)} bytes of ${size}`;
  return `\n\n[WARNING: ${place}; continue with offset: ${String(cut.next)}, or give start_line/end_line or limit.]`;
}

async function* withWarning(content: AsyncIterable<string>, warning: string): AsyncGenerator<string> {
  yield* content;
  if (warning !== '') yield warning;
}
