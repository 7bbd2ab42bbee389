/** The operations behind the tools about accounts. */
import type { AnyOperation } from '../operation.ts';
import { usersList } from './list.ts';

export const USER_OPERATIONS: readonly AnyOperation[] = [usersList];
