/** The way from an operation to the container engine, which only the broker has. */
import type { OpContext } from '../ops/operation.ts';
import type { Engine } from './engine.ts';

/** The engine of this call. Throws a plain Error, a defect, outside of the broker. */
export function requireEngine({ broker }: Pick<OpContext, 'broker'>): Promise<Engine> {
  if (broker === undefined) throw new Error('the container engine is reached from the broker alone');
  return broker.engine();
}
