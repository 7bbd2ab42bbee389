/** Every resource and template there is, in the order in which they are listed, and which of them a URI names. */
import { file } from './file.ts';
import { matchTemplate } from './match.ts';
import type { FixedResource, FoundResource, ResourceTemplate } from './resource.ts';
import { hostname, release, uname } from './system.ts';

export const RESOURCES: readonly FixedResource[] = [uname, release, hostname];
export const TEMPLATES: readonly ResourceTemplate[] = [file];

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
