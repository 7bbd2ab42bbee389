/** The operations behind the logs tools, in the order of the catalogue. */
import type { AnyOperation } from '../operation.ts';
import { logsDmesg } from './dmesg.ts';
import { journalControl } from './journal-control.ts';
import { logsLogins } from './logins.ts';

export const LOG_OPERATIONS: readonly AnyOperation[] = [journalControl, logsDmesg, logsLogins];
