/** Every operation there is, in the order of the catalogue. The frontend, the broker's table and the workers draw from here. */
import type { AnyOperation } from './operation.ts';

export const OPERATIONS: readonly AnyOperation[] = [];

/** The operation of that name, or undefined. */
export function findOperation(name: string): AnyOperation | undefined {
  return OPERATIONS.find((op) => op.name === name);
}
