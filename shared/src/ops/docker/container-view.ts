/**
 * Behind docker-container://: one container's state, document, a sample of its use, or its processes. The environment is never shown.
 * Changes nothing.
 */
import { requireEngine } from '../../engine/access.ts';
import { items, members, text, texts, type Members } from '../../engine/json.ts';
import { NOTHING, type Static } from '../../schema.ts';
import { operation, type OpContext } from '../operation.ts';
import { CONTAINER, inspectContainer } from './common.ts';
import { statusOf } from './container-status.ts';

export const CONTAINER_VIEWS = ['status', 'inspect', 'stats', 'top'] as const;
type View = (typeof CONTAINER_VIEWS)[number];

const args = {
  type: 'object',
  properties: { container: CONTAINER, view: { type: 'string', enum: CONTAINER_VIEWS } },
  required: ['container', 'view'],
  additionalProperties: false,
} as const;
/** One document; what is in it depends on the view and, but for `status` and `top`, on the engine. */
const record = { type: 'object', properties: {}, required: [], additionalProperties: true } as const;

export const dockerContainerView = operation<Static<typeof args>, Static<typeof NOTHING>, Members>({
  name: 'resource/docker-container',
  args,
  kind: 'records',
  result: NOTHING,
  record,
  where: 'loop',
  async run({ container, view }, context) {
    await context.emit(await VIEWS[view](container, context));
    return {};
  },
});

type Context = Pick<OpContext, 'broker' | 'signal'>;

const VIEWS: Readonly<Record<View, (id: string, context: Context) => Promise<Members>>> = {
  async status(id, context) {
    return statusOf(await inspectContainer(id, context));
  },
  async inspect(id, context) {
    const { document } = await inspectContainer(id, context);
    const config = members(document['Config']);
    return Object.hasOwn(config, 'Env') ? { ...document, Config: { ...config, Env: redacted(config['Env']) } } : document;
  },
  async stats(object, context) {
    const engine = await requireEngine(context);
    const query = { stream: 'false' };
    return members(await engine.read({ route: 'GET /containers/{container}/stats', object, query, signal: context.signal }));
  },
  async top(object, context) {
    const engine = await requireEngine(context);
    // Podman goes on for ever unless it is told not to.
    const query = { stream: 'false' };
    const listed = members(
      await engine.read({ route: 'GET /containers/{container}/top', object, query, signal: context.signal }),
    );
    const titles = texts(listed['Titles']);
    const keys = titles.map((title) => title.toLowerCase());
    const processes = items(listed['Processes']).map((row) =>
      Object.fromEntries(items(row).map((cell, column) => [keys[column] ?? `column ${String(column)}`, text(cell)])),
    );
    return { titles, processes };
  },
};

/** Names alone: values are often passwords. */
function redacted(environment: unknown): string[] {
  return texts(environment).map((entry) => entry.replace(/=.*$/s, '=<redacted>'));
}
