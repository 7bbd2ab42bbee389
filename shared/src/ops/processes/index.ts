/** The operations on processes, in the order of the catalogue; those behind resources last. */
import type { AnyOperation } from '../operation.ts';
import { processesDelete } from './delete.ts';
import { processesList } from './list.ts';
import { PROCESS_READS } from './resource.ts';
import { processesTop } from './top.ts';

export const PROCESS_OPERATIONS: readonly AnyOperation[] = [processesList, processesTop, processesDelete, ...PROCESS_READS];
