/** The operations behind the tools about logs, in the order of the catalogue. */
import type { AnyOperation } from '../operation.ts';
import { logsDmesg } from './dmesg.ts';
import { logsLogins } from './logins.ts';

export const LOG_OPERATIONS: readonly AnyOperation[] = [logsDmesg, logsLogins];
