/**
 * The template `service://{name}/status`. systemd tells ordinary accounts; only where it refuses and the caller's own grants cover
 * the unit is the broker asked, which resolves and judges the unit again and alone permits.
 */
import { simpleGlob } from '@steward/shared/config/match.ts';
import { StewardError } from '@steward/shared/errors.ts';
import { wasDenied } from '@steward/shared/host/systemd/jobs.ts';
import { unitName } from '@steward/shared/host/systemd/unit-names.ts';
import { serviceStatus } from '@steward/shared/ops/resource/service-status.ts';
import { jsonText } from '../render/json.ts';
import type { ResourceContext, ResourceTemplate } from './resource.ts';

const JSON_TYPE = 'application/json';

const status: ResourceTemplate = {
  uriTemplate: 'service://{name}/status',
  name: 'Service Status',
  description: 'States and file of one systemd unit; .service may be omitted.',
  mimeType: JSON_TYPE,
  group: 'system',
  verb: 'service-status',
  async read(context) {
    const name = context.params['name'] ?? '';
    return { mimeType: JSON_TYPE, text: jsonText(await statusOf(context, name)) };
  },
};

async function statusOf(context: ResourceContext, name: string): Promise<unknown> {
  try {
    return (await context.runLocal(serviceStatus, { name })).result;
  } catch (error) {
    if (!(error instanceof StewardError) || error.key !== 'systemd_unreachable' || !wasDenied(error.message)) throw error;
    if (isCovered(context, name)) return (await context.runRoot(serviceStatus, { name })).result;
    const { user, uri } = context;
    throw new StewardError('resource_read_refused', { reason: error.message, user, uri }, { cause: error });
  }
}

/** Whether asking the broker is worth while. An alias may be covered under the unit's own name: the broker knows. */
function isCovered({ grants }: ResourceContext, name: string): boolean {
  const entries = grants.resources['service://'] ?? [];
  return entries.some((entry) => entry === '*' || entry === '' || simpleGlob(entry, unitName(name)));
}

export const SERVICE_TEMPLATES: readonly ResourceTemplate[] = [status];
