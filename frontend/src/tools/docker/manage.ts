/** Catalogue entry: words and text of docker/manage. */
import { CONTAINER_ACTIONS, dockerManage, type ManageResult } from '@steward/shared/ops/docker/manage.ts';
import { jsonText } from '../../render/json.ts';
import { escapeName } from '../../render/names.ts';
import { tool } from '../tool.ts';
import { needContainer, needKnown } from './required.ts';

export const dockerManageTool = tool({
  name: 'docker/manage',
  title: 'Container lifecycle',
  description:
    'start, stop (10 s grace), restart, kill, pause, unpause or remove one container. A running container is never removed by force; volumes stay. Text or JSON.',
  op: dockerManage,
  formats: true,
  human: false,
  prepare(values) {
    const prepared = needContainer(values);
    needKnown(values, 'action', CONTAINER_ACTIONS, 'container_action');
    return prepared;
  },
  text: ({ result }) => ({ text: sentence(result) }),
  json: ({ result }) => {
    const { state: _state, ...declared } = result;
    return { text: jsonText(declared) };
  },
});

function sentence({ container, id, action, result, state, dry_run }: ManageResult): string {
  const which = `${escapeName(container)} (${id})`;
  if (dry_run === true) return `Dry run: would ${action} container ${which}, now ${state}`;
  if (result === 'unchanged') return `Container ${which}: ${action} not needed, it is already in that state.`;
  return `Container ${which}: ${action} succeeded.`;
}
