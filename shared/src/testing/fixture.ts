/** For unit tests alone: directories made from a compact text, so that a whole /sys or /proc can be read in one place. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * Makes a tree, hands its root to `use` and removes it. One entry per line: `path = content` (with a final newline), `path -> target`
 * for a link, `path/` for a directory, `path <<` for the lines that follow until `>>`. Empty lines are skipped.
 */
export async function withFixture<T>(text: string, use: (root: string) => T | Promise<T>): Promise<T> {
  const root = mkdtempSync(join(tmpdir(), 'steward-fixture-'));
  try {
    make(root, text.split('\n'));
    return await use(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function make(root: string, lines: readonly string[]): void {
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const [, path = '', operator, value = ''] = /^(\S+?)\/?(?: (=|->|<<) ?(.*))?$/.exec(line) ?? [];
    if (path === '') continue;
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    if (operator === '=') writeFileSync(file, `${value}\n`);
    else if (operator === '->') symlinkSync(value, file);
    else if (operator === undefined) mkdirSync(file, { recursive: true });
    else {
      const end = lines.indexOf('>>', at);
      writeFileSync(
        file,
        lines
          .slice(at + 1, end)
          .map((content) => `${content}\n`)
          .join(''),
        'latin1',
      );
      at = end;
    }
  }
}
