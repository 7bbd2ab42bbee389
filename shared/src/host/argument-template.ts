/**
 * Argument templates of the programs that a row of the allowlist names, and whether an argument vector fits one. The runner of the
 * broker refuses what fits none: a row's operation can start its programs only as the row says, whatever the operation does. Pure.
 *
 * A template is a list of words. `<x>` stands for text that is filled in, `a|b` for one of several, `[word]` may be absent. Text that
 * makes up a whole word must not look like an option, unless the template has a `--` before it.
 */

/** True when the arguments are what the template says, from the first to the last. */
export function fitsTemplate(template: readonly string[], argv: readonly string[]): boolean {
  return fitsFrom(template, argv, false);
}

function fitsFrom(template: readonly string[], argv: readonly string[], afterDashes: boolean): boolean {
  const [word, ...laterWords] = template;
  if (word === undefined) return argv.length === 0;
  const optional = /^\[(.+)\]$/.exec(word)?.[1];
  if (optional !== undefined && fitsFrom(laterWords, argv, afterDashes)) return true;
  const [argument, ...laterArguments] = argv;
  if (argument === undefined || !fitsWord(optional ?? word, argument, afterDashes)) return false;
  return fitsFrom(laterWords, laterArguments, afterDashes || word === '--');
}

function fitsWord(word: string, argument: string, afterDashes: boolean): boolean {
  if (/^<\w+>$/.test(word) && !afterDashes && !/^[^-]/.test(argument)) return false;
  const [, option = '', value = ''] = /^(--[\w-]+=)?(.*)$/s.exec(word) ?? [];
  const alternatives = value.split('|').map((text) => text.split(/<\w+>/).map(RegExp.escape).join('.*'));
  return new RegExp(`^${RegExp.escape(option)}(?:${alternatives.join('|')})$`, 's').test(argument);
}
