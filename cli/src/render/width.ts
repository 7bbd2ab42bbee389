/**
 * How many columns a text takes on a terminal: wide characters take two (Unicode Standard Annex 11, classes W and F), marks that are
 * drawn over the one before take none.
 */

const PLAIN = /^[\u0020-\u007e]*$/;
const NONE = /^(?:\p{Mn}|\p{Me}|\u200b|\u200c|\u200d)$/u;
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]$/u;

function columnsOf(character: string): number {
  if (NONE.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** Columns of a text without control characters. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  return [...text].reduce((sum, character) => sum + columnsOf(character), 0);
}

/** As much of the beginning of a text as fits into so many columns. */
export function cutTo(text: string, columns: number): string {
  if (PLAIN.test(text)) return text.slice(0, columns);
  let used = 0;
  let kept = '';
  for (const character of text) {
    used += columnsOf(character);
    if (used > columns) break;
    kept += character;
  }
  return kept;
}
