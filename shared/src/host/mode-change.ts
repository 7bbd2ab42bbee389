/**
 * Changes of mode bits in the notation of chmod(1), with the rules of GNU coreutils: setuid and setgid of directories are kept
 * unless they are named. Pure functions.
 */
import { StewardError } from '../errors.ts';
import { MODE_BITS, S_ISGID, S_ISUID, S_ISVTX } from './modes.ts';

/** The process's own umask must not decide what a tool does, so clauses without a class always use the common one. */
const UMASK = 0o022;
const ALL_EXECUTE = 0o111;
const SETID = S_ISUID | S_ISGID;

/** What each class letter covers; each of its permission letters; and the bits that `u`, `g`, `o` copy from. */
const CLASSES: Readonly<Record<string, number>> = { u: S_ISUID | 0o700, g: S_ISGID | 0o070, o: S_ISVTX | 0o007, a: MODE_BITS };
const PERMISSIONS: Readonly<Record<string, number>> = { r: 0o444, w: 0o222, x: 0o111, X: 0, s: SETID, t: S_ISVTX };
const COPIES: Readonly<Record<string, number>> = { u: 0o700, g: 0o070, o: 0o007 };

/** One step of a change. */
interface Step {
  readonly operator: '+' | '-' | '=';
  /** Bits of the classes named; 0 when none is. */
  readonly classes: number;
  readonly value: number;
  /** Bits that were named: those of setuid and setgid that are not stay as they are on directories. */
  readonly mentioned: number;
  readonly copies: boolean;
  /** `X`: execute too, where it is set already or the object is a directory. */
  readonly conditionalExecute: boolean;
}

/** A parsed mode argument. */
export type ModeChange = readonly Step[];

/** Parses octal (1 to 5 digits) or symbolic notation. Throws `mode_invalid`. */
export function parseMode(text: string): ModeChange {
  const steps = /^[0-7]/.test(text) ? parseOctal(text) : parseSymbolic(text);
  if (steps === undefined) throw new StewardError('mode_invalid', { value: text });
  return steps;
}

function parseOctal(text: string): ModeChange | undefined {
  if (!/^[0-7]{1,5}$/.test(text)) return undefined;
  const value = Number.parseInt(text, 8);
  if (value > MODE_BITS) return undefined;
  const mentioned = text.length < 5 ? (value & SETID) | (MODE_BITS & ~SETID) : MODE_BITS;
  return [{ operator: '=', classes: MODE_BITS, value, mentioned, copies: false, conditionalExecute: false }];
}

function parseSymbolic(text: string): ModeChange | undefined {
  const steps: Step[] = [];
  for (const clause of text.split(',')) {
    const parts = /^([ugoa]*)((?:[+\-=](?:[ugo]|[rwxXst]*))+)$/.exec(clause);
    if (parts === null) return undefined;
    const classes = bits(parts[1] ?? '', CLASSES);
    for (const action of (parts[2] ?? '').matchAll(/([+\-=])([ugo]|[rwxXst]*)/g)) {
      steps.push(parseAction(action[1] as Step['operator'], action[2] ?? '', classes));
    }
  }
  return steps;
}

function parseAction(operator: Step['operator'], letters: string, classes: number): Step {
  const copied = COPIES[letters];
  const value = copied ?? bits(letters, PERMISSIONS);
  const mentioned = classes === 0 ? value : classes & value;
  return { operator, classes, value, mentioned, copies: copied !== undefined, conditionalExecute: letters.includes('X') };
}

function bits(letters: string, table: Readonly<Record<string, number>>): number {
  let sum = 0;
  for (const letter of letters) sum |= table[letter] ?? 0;
  return sum;
}

/** The permission bits that result from `mode` (permission bits only). */
export function applyMode(change: ModeChange, mode: number, isDirectory: boolean): number {
  let result = mode & MODE_BITS;
  for (const step of change) {
    const kept = isDirectory ? SETID & ~step.mentioned : 0;
    const value = valueOf(step, result, isDirectory) & (step.classes === 0 ? ~UMASK : step.classes) & ~kept;
    if (step.operator === '+') result |= value;
    else if (step.operator === '-') result &= ~value;
    else result = (result & ((step.classes === 0 ? 0 : ~step.classes) | kept)) | value;
  }
  return result & MODE_BITS;
}

function valueOf(step: Step, mode: number, isDirectory: boolean): number {
  if (step.copies) return spread(step.value & mode);
  const executes = step.conditionalExecute && (isDirectory || (mode & ALL_EXECUTE) !== 0);
  return executes ? step.value | ALL_EXECUTE : step.value;
}

/** Gives every class the permissions that one class has. */
function spread(bitsOfOne: number): number {
  let value = 0;
  for (const permission of [0o444, 0o222, 0o111]) if ((bitsOfOne & permission) !== 0) value |= permission;
  return value;
}
