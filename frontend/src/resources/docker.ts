/**
 * Containers, images, volumes and networks as resources. All are read by the broker, which alone reaches the container engine and
 * which alone permits.
 */
import { StewardError } from '@steward/shared/errors.ts';
import { CONTAINER_VIEWS, dockerContainerView } from '@steward/shared/ops/docker/container-view.ts';
import { dockerImageView, dockerNetworkView, dockerVolumeView, type ObjectArgs } from '@steward/shared/ops/docker/object-view.ts';
import type { Operation } from '@steward/shared/ops/operation.ts';
import { jsonText } from '../render/json.ts';
import type { Outcome } from '../tools/tool.ts';
import { containerNames, imageTags, networkNames, volumeNames } from './choices.ts';
import type { ResourceContent, ResourceContext, ResourceTemplate } from './resource.ts';

const JSON_TYPE = 'application/json';

type View = (typeof CONTAINER_VIEWS)[number];

interface Words {
  readonly name: string;
  readonly description: string;
}

const WORDS: Readonly<Record<View, Words>> = {
  status: { name: 'Container Status', description: 'State, uptime, health, limits, ports and networks of one container.' },
  inspect: {
    name: 'Container Inspect',
    description: "The engine's document of one container, without values of its environment.",
  },
  stats: { name: 'Container Stats', description: 'One sample of CPU, memory, network and disk use of one container.' },
  top: { name: 'Container Processes', description: 'Processes that run in one container.' },
};

function containerTemplate(view: View): ResourceTemplate {
  return {
    uriTemplate: `docker-container://{name}/${view}`,
    complete: { name: containerNames },
    // The last of them also takes what names no view, to say which there are.
    ...(view === CONTAINER_VIEWS.at(-1) ? { matches: 'docker-container://{name}/{view}' } : {}),
    ...WORDS[view],
    mimeType: JSON_TYPE,
    group: 'docker',
    verb: view,
    async read(context) {
      const { name: container = '', view: asked = view } = context.params;
      if (asked !== view) throw new StewardError('container_view', { view: asked, uri: context.uri });
      if (container === '') throw new StewardError('container_invalid', { container });
      return document(await context.runRoot(dockerContainerView, { container, view }));
    },
  };
}

type Choices = (context: ResourceContext) => Promise<readonly string[]>;

function objectTemplate(
  kind: string,
  words: Words,
  op: Operation<ObjectArgs, object, object>,
  choices: Choices,
): ResourceTemplate {
  const place = kind === 'image' ? 'ref' : 'name';
  return {
    uriTemplate: `docker-${kind}://{${place}}/inspect`,
    complete: { [place]: choices },
    ...words,
    mimeType: JSON_TYPE,
    group: 'docker',
    verb: kind,
    read: (context) => readObject(context, kind, op, context.params[place] ?? ''),
  };
}

async function readObject(
  context: ResourceContext,
  kind: string,
  op: Operation<ObjectArgs, object, object>,
  name: string,
): Promise<ResourceContent> {
  if (name === '') throw new StewardError('docker_not_found', { text: `No such ${kind}: ` });
  return document(await context.runRoot(op, { name }));
}

/** The one document that such an operation sends. */
async function document(outcome: Outcome<object, object>): Promise<ResourceContent> {
  for await (const whole of outcome.records()) return { mimeType: JSON_TYPE, text: jsonText(whole) };
  throw new Error('the broker sent no document');
}

export const DOCKER_TEMPLATES: readonly ResourceTemplate[] = [
  ...CONTAINER_VIEWS.map(containerTemplate),
  objectTemplate(
    'image',
    { name: 'Docker Image Inspect', description: "The engine's document of one image, by tag, digest or id." },
    dockerImageView,
    imageTags,
  ),
  objectTemplate(
    'volume',
    { name: 'Docker Volume Inspect', description: "The engine's document of one volume." },
    dockerVolumeView,
    volumeNames,
  ),
  objectTemplate(
    'network',
    { name: 'Docker Network Inspect', description: "The engine's document of one network, by name or id." },
    dockerNetworkView,
    networkNames,
  ),
];
