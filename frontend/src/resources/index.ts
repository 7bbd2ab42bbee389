/** Every resource and template there is, in the order in which they are listed, and which of them a URI names. */
import { CRONTAB_TEMPLATES } from './crontab.ts';
import { DEVICE_RESOURCES, DEVICE_TEMPLATES } from './devices.ts';
import { DISK_TEMPLATES } from './disks.ts';
import { DOCKER_TEMPLATES } from './docker.ts';
import { file } from './file.ts';
import { matchTemplate } from './match.ts';
import { MODULE_RESOURCES } from './modules.ts';
import { NETWORK_RESOURCES, NETWORK_TEMPLATES } from './network.ts';
import { PROCESS_TEMPLATES } from './processes.ts';
import type { FixedResource, FoundResource, ResourceTemplate } from './resource.ts';
import { SERVICE_TEMPLATES } from './services.ts';
import { hostname, release, uname } from './system.ts';
import { TIMEZONE_LOCALE_RESOURCES } from './timezone-locale.ts';

export const RESOURCES: readonly FixedResource[] = [
  uname,
  release,
  hostname,
  ...TIMEZONE_LOCALE_RESOURCES,
  ...NETWORK_RESOURCES,
  ...DEVICE_RESOURCES,
  ...MODULE_RESOURCES,
];

export const TEMPLATES: readonly ResourceTemplate[] = [
  file,
  ...DEVICE_TEMPLATES,
  ...NETWORK_TEMPLATES,
  ...SERVICE_TEMPLATES,
  ...DISK_TEMPLATES,
  ...PROCESS_TEMPLATES,
  ...DOCKER_TEMPLATES,
  ...CRONTAB_TEMPLATES,
];

/**
 * What a URI names: a fixed resource that it equals, else the first template that it fits; undefined when it is unknown.
 * Throws URIError for a malformed percent escape or a NUL.
 */
export function findResource(uri: string): FoundResource | undefined {
  const fixed = RESOURCES.find((resource) => resource.uri === uri);
  if (fixed !== undefined) return { resource: fixed, params: {} };
  for (const resource of TEMPLATES) {
    const params = matchTemplate(resource.matches ?? resource.uriTemplate, uri);
    if (params !== undefined) return { resource, params };
  }
  return undefined;
}
