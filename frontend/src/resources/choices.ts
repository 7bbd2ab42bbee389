/**
 * What there is to choose from for the placeholders of templates. All of it is what the caller could list anyway: read unprivileged,
 * or as root only where the caller's own grants permit the listing.
 */
import { disksPerformance } from '@steward/shared/ops/disks/performance.ts';
import { dockerContainers } from '@steward/shared/ops/docker/containers.ts';
import { networkInterfaces } from '@steward/shared/ops/network/interfaces.ts';
import { processesList } from '@steward/shared/ops/processes/list.ts';
import { servicesList } from '@steward/shared/ops/services/list.ts';
import type { Outcome } from '../tools/tool.ts';
import type { ResourceContext } from './resource.ts';

export async function interfaceNames(context: ResourceContext): Promise<readonly string[]> {
  const { result } = await context.runLocal(networkInterfaces, {});
  return result.map(({ name }) => name);
}

export async function serviceNames(context: ResourceContext): Promise<readonly string[]> {
  return mapped(await context.runLocal(servicesList, {}), ({ name }) => name);
}

export async function diskNames(context: ResourceContext): Promise<readonly string[]> {
  return mapped(await context.runLocal(disksPerformance, {}), ({ device_name: name }) => name);
}

export async function processIds(context: ResourceContext): Promise<readonly string[]> {
  return mapped(await context.runLocal(processesList, {}), ({ pid }) => String(pid));
}

/** None without a grant for the listing: the engine shows everything or nothing. */
export async function containerNames(context: ResourceContext): Promise<readonly string[]> {
  if (context.grants.tools['docker/containers']?.allowed !== true) return [];
  return mapped(await context.runRoot(dockerContainers, { all: true }), ({ name }) => name);
}

/** The caller's own name, and the accounts that a grant names. */
export function crontabUsers({ user, grants }: ResourceContext): Promise<readonly string[]> {
  const named = Object.entries(grants.tools['cron/manage']?.users ?? {}).filter(([name, { view }]) => name !== '*' && view);
  return Promise.resolve([user, ...named.map(([name]) => name)]);
}

async function mapped<Item>(outcome: Outcome<unknown, Item>, name: (item: Item) => string): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const item of outcome.records()) names.push(name(item));
  return names;
}
