/** The operations behind services: tools first, then what is behind resources. */
import type { AnyOperation } from '../operation.ts';
import { serviceStatus } from '../resource/service-status.ts';
import { servicesList } from './list.ts';
import { servicesManage } from './manage.ts';

export const SERVICE_OPERATIONS: readonly AnyOperation[] = [servicesManage, servicesList, serviceStatus];
