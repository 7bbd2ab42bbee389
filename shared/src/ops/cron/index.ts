/** The operations behind cron: the tool first, then what is behind the resource. */
import type { AnyOperation } from '../operation.ts';
import { crontabResource } from '../resource/crontab.ts';
import { cronManage } from './manage.ts';

export const CRON_OPERATIONS: readonly AnyOperation[] = [cronManage, crontabResource];
