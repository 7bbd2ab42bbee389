/** Behind docker-image://, docker-volume:// and docker-network://: the engine's own document of one object. Changes nothing. */
import { requireEngine } from '../../engine/access.ts';
import { members, type Members } from '../../engine/json.ts';
import type { EngineRoute } from '../../engine/routes.ts';
import { NOTHING } from '../../schema.ts';
import { operation, type Operation } from '../operation.ts';

export interface ObjectArgs {
  /** As typed; the broker's restriction resolves it, and the operation gets what stands in the path of a request. */
  readonly name: string;
}

const args = {
  type: 'object',
  properties: { name: { type: 'string', minLength: 1, maxLength: 512 } },
  required: ['name'],
  additionalProperties: false,
} as const;
const record = { type: 'object', properties: {}, required: [], additionalProperties: true } as const;

function view(name: string, route: EngineRoute): Operation<ObjectArgs, Record<never, never>, Members> {
  return operation<ObjectArgs, Record<never, never>, Members>({
    name,
    args,
    kind: 'records',
    result: NOTHING,
    record,
    where: 'loop',
    async run({ name: object }, context) {
      const engine = await requireEngine(context);
      await context.emit(members(await engine.read({ route, object, signal: context.signal })));
      return {};
    },
  });
}

export const dockerImageView = view('resource/docker-image', 'GET /images/{image}/json');

export const dockerVolumeView = view('resource/docker-volume', 'GET /volumes/{volume}');

export const dockerNetworkView = view('resource/docker-network', 'GET /networks/{network}');
