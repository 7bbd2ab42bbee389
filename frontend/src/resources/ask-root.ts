/**
 * Reads as this account first, as root only where this account was refused and the caller's own grants cover the object. Whether they
 * do is only a guess here, to choose between words: the broker judges the object again and alone permits.
 */
import { StewardError } from '@steward/shared/errors.ts';
import type { Operation } from '@steward/shared/ops/operation.ts';
import type { Outcome } from '../tools/tool.ts';
import type { ResourceContext } from './resource.ts';

/** Runs the operation here, else in the broker. Throws `resource_read_refused` with the reason when no grant covers the object. */
export async function readOrAskRoot<Args, Result, Item = never>(
  context: ResourceContext,
  op: Operation<Args, Result, Item>,
  args: Args,
  isCovered: () => boolean,
): Promise<Outcome<Result, Item>> {
  try {
    return await context.runLocal(op, args);
  } catch (error) {
    if (!isDenied(error)) throw error;
    if (isCovered()) return context.runRoot(op, args);
    const { user, uri } = context;
    throw new StewardError('resource_read_refused', { reason: error.message, user, uri }, { cause: error });
  }
}

/** True for what was refused to this account, which root might read. */
function isDenied(error: unknown): error is StewardError {
  return error instanceof StewardError && (error.params['errno'] === 'EACCES' || error.params['errno'] === 'EPERM');
}
