/**
 * Images, volumes and networks as the engine lists them, and which of them a caller means. What was typed is only ever compared
 * with the list; the engine is asked for the id, or the exact name of a volume, that it listed itself.
 */
import { onlyOne, shortId } from './containers.ts';
import type { Engine } from './engine.ts';
import { items, members, text, texts, type Members } from './json.ts';
import { isVolumeName } from './routes.ts';

export type ObjectKind = 'image' | 'volume' | 'network';

/** An object with everything that a grant may name it by. */
export interface ObjectRef {
  /** What stands in the path of a request: `sha256:` and 64 hexadecimal digits, an id, or the exact name of a volume. */
  readonly object: string;
  /** For records and texts. */
  readonly name: string;
  /** Names and ids, each once. */
  readonly aliases: readonly string[];
}

const UNTAGGED = '<none>:<none>';

export async function listImages(engine: Engine, signal: AbortSignal, query: Readonly<Record<string, string>> = {}) {
  return items(await engine.read({ route: 'GET /images/json', query, signal })).map(members);
}

export async function listVolumes(engine: Engine, signal: AbortSignal, query: Readonly<Record<string, string>> = {}) {
  return items(members(await engine.read({ route: 'GET /volumes', query, signal }))['Volumes']).map(members);
}

export async function listNetworks(engine: Engine, signal: AbortSignal): Promise<readonly Members[]> {
  return items(await engine.read({ route: 'GET /networks', signal })).map(members);
}

/** Tags of an image; versions of the engine differ in whether an image without any has none or a placeholder. */
export function tagsOf(image: Members): string[] {
  const tags = texts(image['RepoTags']);
  return tags.length === 0 ? [UNTAGGED] : tags;
}

export function digestsOf(image: Members): string[] {
  return texts(image['RepoDigests']).filter((digest) => !digest.startsWith('<none>'));
}

/** The object that was meant, most exact way of naming it first. Throws `docker_not_found` or `docker_ambiguous`. */
export function resolveObject(engine: Engine, kind: ObjectKind, typed: string, signal: AbortSignal): Promise<ObjectRef> {
  return RESOLVERS[kind](engine, typed, signal);
}

type Resolver = (engine: Engine, typed: string, signal: AbortSignal) => Promise<ObjectRef>;

const RESOLVERS: Readonly<Record<ObjectKind, Resolver>> = {
  async image(engine, typed, signal) {
    const all = (await listImages(engine, signal, { all: 'true' })).map((image) => {
      const names = [...tagsOf(image).filter((tag) => tag !== UNTAGGED), ...digestsOf(image)];
      return idRef(text(image['Id']), names);
    });
    const named = (name: string): ObjectRef[] => all.filter(({ aliases }) => aliases.slice(0, -3).includes(name));
    const hex = typed.replace(/^sha256:/, '');
    const byId = all.filter(({ object }) => object === `sha256:${hex}`);
    const prefixed = /^[0-9a-f]{1,63}$/.test(hex) ? all.filter(({ object }) => object.startsWith(`sha256:${hex}`)) : [];
    return onlyOne(typed, 'image', [named(typed), named(`${typed}:latest`), byId, prefixed]);
  },
  async network(engine, typed, signal) {
    const all = (await listNetworks(engine, signal)).map((network) => idRef(text(network['Id']), [text(network['Name'])]));
    return onlyOne(typed, 'network', [
      all.filter(({ name }) => name === typed),
      all.filter(({ object }) => object === typed),
      typed === '' ? [] : all.filter(({ object }) => object.startsWith(typed)),
    ]);
  },
  async volume(engine, typed, signal) {
    const names = (await listVolumes(engine, signal)).map((volume) => text(volume['Name'])).filter(isVolumeName);
    const found = names.filter((name) => name === typed).map((name) => ({ object: name, name, aliases: [name] }));
    return onlyOne(typed, 'volume', [found]);
  },
};

/** An object with an id: it may be named by its names and, the last three, by id, id without the hash's name, and short id. */
function idRef(id: string, names: readonly string[]): ObjectRef {
  return { object: id, name: names[0] ?? shortId(id), aliases: [...names, id, id.replace(/^sha256:/, ''), shortId(id)] };
}
