/**
 * Names as clients write them. Some hosts refuse a slash in the name of a tool, so `files_list` and `files.list` mean
 * `files/list`; and the nearest name is told when one is misspelt.
 */
import type { AnyTool } from './tool.ts';

/** The tools under every spelling of their names. */
export class ToolNames {
  readonly #tools = new Map<string, AnyTool>();

  constructor(tools: readonly AnyTool[]) {
    for (const tool of tools) {
      for (const name of [tool.name, underscored(tool.name), tool.name.replace('/', '.')]) {
        if (this.#tools.has(name)) throw new Error(`two tools are called ${name}`);
        this.#tools.set(name, tool);
      }
    }
  }

  find(name: string): AnyTool | undefined {
    return this.#tools.get(name);
  }
}

export function underscored(name: string): string {
  return name.replace('/', '_');
}

/** The name nearest to `name` by edit distance, the first of equals; undefined when there are no names. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  let best: string | undefined;
  let least = Infinity;
  for (const candidate of names) {
    const away = distance(name.slice(0, 64), candidate);
    if (away < least) [best, least] = [candidate, away];
  }
  return best;
}

/** Edit distance (Levenshtein): insertions, deletions and replacements of single characters. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
