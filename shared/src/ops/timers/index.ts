/** The operations behind timers. */
import type { AnyOperation } from '../operation.ts';
import { timersList } from './list.ts';

export const TIMER_OPERATIONS: readonly AnyOperation[] = [timersList];
