/**
 * Reads the engine's documents without trusting their shape: versions of the engine differ in what they leave out, and what is
 * missing or of another type becomes the empty value of the type that was asked for.
 */

export type Members = Readonly<Record<string, unknown>>;

export function members(value: unknown): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {};
}

export function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value.toWellFormed() : '';
}

export function texts(value: unknown): string[] {
  return items(value)
    .filter((item) => typeof item === 'string')
    .map(text);
}

/** An integer that is exact; 0 for anything else. */
export function integer(value: unknown): number {
  return Number.isSafeInteger(value) ? (value as number) : 0;
}

export function flag(value: unknown): boolean {
  return value === true;
}

/** Labels, options: strings by name. */
export function strings(value: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries(members(value)).map(([name, member]) => [name, text(member)]));
}
