/** The command lines that the product may run, as patterns made from the templates that the allowlist shows. Test only. */
import { TABLE } from '@steward/broker/table.ts';
import type { ProgramUse } from '@steward/shared/catalogue/row.ts';

/** What the frontend alone runs. */
const UNPRIVILEGED: readonly ProgramUse[] = [
  { name: 'traceroute', argv: ['-n', '-m', '<n>', '-q', '3', '-w', '2', '--', '<address>'] },
];

/**
 * What may fill a place of its own before `--`: never something that a program would take for an option. After `--`, and glued to
 * a long option, anything may stand.
 */
const OWN_PLACE = '[A-Za-z0-9_][^\u0001]*';
const ANYTHING = '[^\u0001]*';
/** Between arguments; no argument of a process can hold the other choice, NUL, and no test uses this one. */
const BETWEEN = '\u0001';

function partOf(argv: readonly string[], index: number): string {
  const [, inner, given] = /^\[(.*)\]$|^(.*)$/.exec(argv[index] ?? '') ?? [];
  const text = inner ?? given ?? '';
  const place = text.startsWith('<') && !argv.slice(0, index).includes('--') ? OWN_PLACE : ANYTHING;
  const pieces = text.split(/<[^>]+>/).map((piece) => (piece.includes('|') ? choices(piece) : literal(piece)));
  const part = `${BETWEEN}${pieces.join(place)}`;
  return inner === undefined ? part : `(?:${part})?`;
}

/** `--output=short|json`, `start|stop`. */
function choices(text: string): string {
  const [, option = '', words = ''] = /^(--[a-z-]+=)?(.*)$/.exec(text) ?? [];
  return `${literal(option)}(?:${words.split('|').map(literal).join('|')})`;
}

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

const PATTERNS = [...TABLE.flatMap(({ touches }) => touches.programs), ...UNPRIVILEGED].map(
  ({ name, argv }) => new RegExp(`^${name}${argv.map((_, index) => partOf(argv, index)).join('')}$`),
);

/** Whether a command line (program's name first, without directory) is one of those that the product may run. */
export function isDeclared(argv: readonly string[]): boolean {
  return PATTERNS.some((pattern) => pattern.test(argv.join(BETWEEN)));
}
