/** Finds the word that was probably meant. */

/** Edit distance with swaps of neighbours (optimal string alignment). */
export function distance(from: string, to: string): number {
  const rows: number[][] = [];
  for (let i = 0; i <= from.length; i += 1) {
    const row: number[] = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const above = rows[i - 1];
      if (above === undefined) {
        row.push(j);
        continue;
      }
      const changed = (above[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      let best = Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, changed);
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      if (swapped) best = Math.min(best, (rows[i - 2]?.[j - 2] ?? 0) + 1);
      row.push(best);
    }
    rows.push(row);
  }
  return rows[from.length]?.[to.length] ?? 0;
}

/** The words that are near `word`, nearest first; beginnings count as near. At most `count`. */
export function nearest(word: string, words: Iterable<string>, count = 3): string[] {
  const limit = Math.max(1, Math.floor((word.length + 1) / 3));
  return [...new Set(words)]
    .map((candidate) => ({ candidate, far: candidate.startsWith(word) ? 0.5 : distance(word, candidate) }))
    .filter(({ far }) => far <= limit)
    .sort((a, b) => a.far - b.far || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, count)
    .map(({ candidate }) => candidate);
}

/**
 * ` (did you mean x or y?)`.
 *
 * @param otherwise what to do next when no word is near; then it stands behind a colon
 */
export function hint(word: string, words: Iterable<string>, decorate = (text: string): string => text, otherwise = ''): string {
  const near = nearest(word, words).map(decorate);
  if (near.length === 0) return otherwise === '' ? '' : `: ${otherwise}`;
  const last = near.pop() ?? '';
  return ` (did you mean ${near.length === 0 ? '' : `${near.join(', ')} or `}${last}?)`;
}
