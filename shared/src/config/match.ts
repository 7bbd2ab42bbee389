/**
 * How grants are matched: path prefixes on whole components, globs, and globs over dotted names. The broker decides with these
 * functions and `stewardctl grants explain` explains with the same ones. Pure text: callers pass what the kernel says an object
 * is, never what a client typed.
 */

/** Longest glob that a configuration may hold, in characters. */
const MAX_GLOB = 255;

/**
 * True when `path` is `prefix` or lies below it, on whole components: `/var/log` covers `/var/log/x` but not `/var/logs`, and
 * `/` covers everything. Both must be absolute and clean (no `//`, `.`, `..`, final `/`).
 */
export function underPath(prefix: string, path: string): boolean {
  if (!prefix.startsWith('/') || !path.startsWith('/')) return false;
  return prefix === '/' || path === prefix || path.startsWith(`${prefix}/`);
}

/** The first prefix of a list that covers `path`, for the rule in records. */
export function coveringPath(prefixes: readonly string[], path: string): string | undefined {
  return prefixes.find((prefix) => underPath(prefix, path));
}

/** What one glob token accepts: `*` any run, else one character. */
type Token = { readonly any: true } | { readonly any: false; accepts(character: string): boolean };

/** Reads `[abc]`, `[a-z]`, `[!a-z]` (fnmatch(3) without classes) from behind the `[`; undefined when it has no end. */
function readSet(glob: readonly string[], start: number): { token: Token; next: number } | undefined {
  let at = start;
  const negated = glob[at] === '!' || glob[at] === '^';
  if (negated) at += 1;
  const ranges: [string, string][] = [];
  while (glob[at] !== ']' || ranges.length === 0) {
    const from = glob[at];
    if (from === undefined) return undefined;
    const end = glob[at + 1] === '-' ? glob[at + 2] : undefined;
    const isRange = end !== undefined && end !== ']';
    const to = isRange ? end : from;
    if (to < from) return undefined;
    ranges.push([from, to]);
    at += isRange ? 3 : 1;
  }
  const accepts = (character: string): boolean => ranges.some(([a, b]) => character >= a && character <= b) !== negated;
  return { token: { any: false, accepts }, next: at + 1 };
}

/** Compiles a glob, or undefined when it is malformed (an unclosed `[`, empty, too long, a control character). */
function compile(glob: string): readonly Token[] | undefined {
  // eslint-disable-next-line no-control-regex -- control characters are what is refused
  if (glob === '' || glob.length > MAX_GLOB || /[\u0000-\u001f\u007f]/.test(glob)) return undefined;
  const characters = [...glob];
  const tokens: Token[] = [];
  for (let at = 0, character = characters[0]; character !== undefined; character = characters[at]) {
    if (character === '[') {
      const set = readSet(characters, at + 1);
      if (set === undefined) return undefined;
      tokens.push(set.token);
      at = set.next;
      continue;
    }
    if (character === '*') tokens.push({ any: true });
    else if (character === '?') tokens.push({ any: false, accepts: () => true });
    else tokens.push({ any: false, accepts: (other) => other === character });
    at += 1;
  }
  return tokens;
}

/** Matches without backtracking beyond the last `*`: time is at most pattern length times text length. */
function matches(tokens: readonly Token[], text: readonly string[]): boolean {
  let token = 0;
  let at = 0;
  let star = -1;
  let mark = 0;
  for (let character = text[0]; character !== undefined; character = text[at]) {
    const current = tokens[token];
    if (current?.any === true) {
      star = token++;
      mark = at;
    } else if (current?.any === false && current.accepts(character)) {
      token += 1;
      at += 1;
    } else if (star >= 0) {
      token = star + 1;
      at = ++mark;
    } else return false;
  }
  while (tokens[token]?.any === true) token += 1;
  return token === tokens.length;
}

/** True when the glob is well-formed: not empty, at most 255 characters, every `[` closed, no control character. */
export function isGlob(glob: string): boolean {
  return compile(glob) !== undefined;
}

/** `*`, `?`, `[..]`; case-sensitive, anchored at both ends. A malformed glob matches nothing. */
export function simpleGlob(glob: string, text: string): boolean {
  const tokens = compile(glob);
  return tokens !== undefined && matches(tokens, [...text]);
}

/** True when a glob has no wildcard, so that it names exactly one thing. */
export function isLiteral(glob: string): boolean {
  return !/[*?[\]]/.test(glob);
}

/** A glob over a dotted name (sysctl keys): component by component, `*` stays in one component. */
export function dottedGlob(glob: string, name: string): boolean {
  const globs = glob.split('.');
  const parts = name.split('.');
  return globs.length === parts.length && globs.every((one, index) => simpleGlob(one, parts[index] ?? ''));
}

/** sysctl keys whose value the kernel executes or trusts as a program: a wildcard never reaches them. */
const EXACT_KEYS = ['kernel.core_pattern', 'kernel.modprobe', 'kernel.hotplug', 'kernel.poweroff_cmd'];
const EXACT_TREES = ['kernel.usermodehelper.', 'fs.binfmt_misc.'];

/** The entry of `write_keys` that permits writing a canonical sysctl key; keys that lead to root only by an entry without wildcards. */
export function coveringKey(entries: readonly string[], key: string): string | undefined {
  const exactOnly = EXACT_KEYS.includes(key) || EXACT_TREES.some((tree) => key.startsWith(tree));
  return entries.find((entry) => (exactOnly || isLiteral(entry) ? entry === key : dottedGlob(entry, key)));
}
