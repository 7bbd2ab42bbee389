/**
 * Containers as the engine lists them, and which of them a caller means. What was typed is only ever compared with the list; from
 * then on the 64-hex id speaks for the container, whatever it is renamed to.
 */
import { StewardError } from '../errors.ts';
import type { Engine } from './engine.ts';
import { items, members, text, texts, type Members } from './json.ts';
import { inTurns } from './turns.ts';

const IDENTIFIER = /^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,254}$/;

export interface ContainerRef {
  /** 64 hexadecimal digits. */
  readonly id: string;
  /** Its own name, without the slash that the engine writes before it. */
  readonly name: string;
}

/** What people see of an id: 12 hexadecimal digits, without the name of a hash. */
export function shortId(id: string): string {
  return id.replace(/^sha256:/, '').slice(0, 12);
}

/** Throws `container_invalid` for what can be neither name nor id. To be asked before the engine is. */
export function checkContainerIdentifier(typed: string): void {
  if (!IDENTIFIER.test(typed)) throw new StewardError('container_invalid', { container: typed });
}

/** Every container, running or not, as the engine lists it. */
export async function listContainers(
  engine: Engine,
  signal: AbortSignal,
  query: Readonly<Record<string, string>> = { all: 'true' },
): Promise<readonly Members[]> {
  return items(await engine.read({ route: 'GET /containers/json', query, signal })).map(members);
}

/**
 * All names without their first slash, the container's own first: a name with another slash in it is what some container calls
 * this one through a link.
 */
export function namesOf(container: Members): string[] {
  const names = texts(container['Names']).map((name) => name.replace(/^\//, ''));
  return [...names.filter((name) => !name.includes('/')), ...names.filter((name) => name.includes('/'))];
}

export function refOf(container: Members): ContainerRef {
  return { id: text(container['Id']), name: namesOf(container)[0] ?? '' };
}

/**
 * The container of exactly that name, else of that full id, else the only one whose id begins so. Throws `container_invalid`,
 * `docker_not_found` or `docker_ambiguous`.
 */
export async function resolveContainer(engine: Engine, typed: string, signal: AbortSignal): Promise<ContainerRef> {
  checkContainerIdentifier(typed);
  const all: ContainerRef[] = [];
  await inTurns(await listContainers(engine, signal), (container) => void all.push(refOf(container)));
  return onlyOne(typed, 'container', [
    all.filter(({ name }) => name === typed),
    all.filter(({ id }) => id === typed),
    all.filter(({ id }) => id.startsWith(typed)),
  ]);
}

/** The one object of the first group that has any; the groups are ways to name it, the most exact first. */
export function onlyOne<T>(typed: string, kind: string, groups: readonly (readonly T[])[]): T {
  const found = groups.find((group) => group.length > 0) ?? [];
  const [first] = found;
  if (first === undefined) throw new StewardError('docker_not_found', { text: `No such ${kind}: ${typed}` });
  if (found.length > 1) throw new StewardError('docker_ambiguous', { kind, identifier: typed, count: found.length });
  return first;
}
