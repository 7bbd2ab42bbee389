/** What the docker tools say in words of their own about arguments that are missing or not one of a few words. */
import { StewardError, type ErrorKey } from '@steward/shared/errors.ts';

type Values = Readonly<Record<string, unknown>>;

/** Throws `container_required` where no container is named. */
export function needContainer(values: Values): Record<string, unknown> {
  if (isMissing(values['container'])) throw new StewardError('container_required');
  return { ...values };
}

/** Throws `unknown` with the argument's own name for a word that is not among the known ones; what is no word is left to the schema. */
export function needKnown(values: Values, name: string, known: readonly string[], unknown: ErrorKey): void {
  const value = values[name];
  if (typeof value === 'string' && value !== '' && !known.includes(value)) throw new StewardError(unknown, { [name]: value });
}

/** Absent, null or empty. */
export function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}
