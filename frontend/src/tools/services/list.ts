/** Catalogue entry: words and text of services/list. */
import { servicesList, type ServiceRecord } from '@steward/shared/ops/services/list.ts';
import { blocks } from '../../render/blocks.ts';
import { escapeName } from '../../render/names.ts';
import { tool } from '../tool.ts';

export const servicesListTool = tool({
  name: 'services/list',
  title: 'List systemd services',
  description:
    'List loaded systemd services, filter by state and name glob. Text blocks; json, table, wide give JSON. Control: services/manage.',
  op: servicesList,
  formats: true,
  human: false,
  text: (outcome) => ({ text: blocks(outcome.records(), block, 'No services found matching the criteria.') }),
});

function block({ name, active_state, sub_state, load_state, description }: ServiceRecord): string {
  return [
    `[${escapeName(active_state)}] ${escapeName(name)}`,
    `  State: ${stateOf(sub_state, active_state)} | Load: ${escapeName(load_state)}`,
    `  Desc: ${escapeName(description)}`,
  ].join('\n');
}

const stateOf = (sub: string, active: string): string => `${escapeName(sub)} (${escapeName(active)})`;
