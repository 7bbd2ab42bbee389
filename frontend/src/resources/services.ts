/** The template `service://{name}/status`. systemd tells most hosts' ordinary accounts; where it does not, a grant lets the broker ask. */
import { simpleGlob } from '@steward/shared/config/match.ts';
import { unitName } from '@steward/shared/host/systemd/unit-names.ts';
import { serviceStatus } from '@steward/shared/ops/resource/service-status.ts';
import { jsonText } from '../render/json.ts';
import { readOrAskRoot } from './ask-root.ts';
import { serviceNames } from './choices.ts';
import type { ResourceContext, ResourceTemplate } from './resource.ts';

const JSON_TYPE = 'application/json';

const status: ResourceTemplate = {
  uriTemplate: 'service://{name}/status',
  complete: { name: serviceNames },
  name: 'Service Status',
  description: 'States and file of one systemd unit; .service may be omitted.',
  mimeType: JSON_TYPE,
  group: 'system',
  verb: 'service-status',
  async read(context) {
    const name = context.params['name'] ?? '';
    const { result } = await readOrAskRoot(context, serviceStatus, { name }, () => isCovered(context, name));
    return { mimeType: JSON_TYPE, text: jsonText(result) };
  },
};

function isCovered({ grants }: ResourceContext, name: string): boolean {
  const entries = grants.resources['service://'] ?? [];
  return entries.some((entry) => entry === '*' || entry === '' || simpleGlob(entry, unitName(name)));
}

export const SERVICE_TEMPLATES: readonly ResourceTemplate[] = [status];
