/** Proves that the text is the same however records came: followed or not, few that are held or many that are not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Text } from '../tools/tool.ts';
import { collect, iterate } from '../testing/outcome.ts';
import { parsedLines } from './batches.ts';
import { lineText } from './record-lines.ts';

const OPTIONS = { args: {}, form: 'text', human: false } as const;
const { text, follow } = lineText<object, object, string>(() => (name) => `- ${name}`);

const whole = async (made: Text): Promise<string> => (typeof made === 'string' ? made : collect(made));
const outcomeOf = <Item>(records: () => AsyncIterable<Item>) => ({ result: {}, records, bytes: () => iterate([]) });

test('one line below the other', async () => {
  for (const count of [0, 1, 250, 30_000]) {
    const records = Array.from({ length: count }, (_, index) => `"${String(index)}" é😀\ud83d`);
    const expected = records.map((name) => `- ${name}`).join('\n');
    assert.equal(
      await whole(
        text(
          outcomeOf(() => iterate(records)),
          OPTIONS,
        ).text,
      ),
      expected,
    );
    const follower = follow(OPTIONS);
    let kept = '';
    for (let at = 0; at < count; at += 100) {
      const lines = follower?.take(records.slice(at, at + 100));
      if (lines !== undefined) kept += `${lines}\n`;
    }
    assert.equal(follower?.take([]), undefined);
    assert.equal(kept === '', count < 30_000, 'few are held');
    const outcome = outcomeOf(() => parsedLines(() => iterate([Buffer.from(kept)])));
    assert.equal(await whole(follower?.text(outcome).text ?? ''), expected);
  }
});
