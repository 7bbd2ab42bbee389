/**
 * Every request that is ever made to the container engine: method and path, with one place for the object. What fills a place is
 * checked here by its shape, so that no text of a caller can become part of a path.
 */

/** The whole of the engine's API that is used (Docker Engine API, 1.41 and later). */
export const ENGINE_ROUTES = [
  'GET /containers/json',
  'GET /containers/{container}/json',
  'GET /containers/{container}/logs',
  'GET /containers/{container}/stats',
  'GET /containers/{container}/top',
  'POST /containers/{container}/start',
  'POST /containers/{container}/stop',
  'POST /containers/{container}/restart',
  'POST /containers/{container}/kill',
  'POST /containers/{container}/pause',
  'POST /containers/{container}/unpause',
  'DELETE /containers/{container}',
  'POST /containers/{container}/exec',
  'POST /exec/{exec}/start',
  'GET /exec/{exec}/json',
  'POST /containers/prune',
  'GET /images/json',
  'GET /images/{image}/json',
  'POST /images/prune',
  'GET /volumes',
  'GET /volumes/{volume}',
  'DELETE /volumes/{volume}',
  'POST /volumes/prune',
  'GET /networks',
  'GET /networks/{network}',
  'POST /networks/prune',
  'GET /system/df',
  'POST /build/prune',
] as const;
export type EngineRoute = (typeof ENGINE_ROUTES)[number];

/** Asked once per call, without a version: the engine says which version it speaks. */
export const PING_ROUTE = 'GET /_ping';

const HEX64 = /^[0-9a-f]{64}$/;

/** What may stand in a place: ids as the engine makes them, and names of volumes that need no encoding. */
const PLACES: Readonly<Record<string, RegExp>> = {
  container: HEX64,
  exec: HEX64,
  image: /^sha256:[0-9a-f]{64}$/,
  // Networks of a swarm have ids of 25 letters and digits.
  network: /^(?:[0-9a-f]{64}|[0-9a-z]{25})$/,
  volume: /^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,254}$/,
};

export interface RequestLine {
  readonly method: string;
  /** With the query. */
  readonly path: string;
}

/** Fills a route. Throws a plain Error, a defect, for an object that is not of the shape of its place. */
export function requestLine(
  route: string,
  object: string | undefined,
  query: Readonly<Record<string, string>> = {},
): RequestLine {
  const [method = '', template = ''] = route.split(' ');
  const filled = template.replace(/\{(\w+)\}/, (_place, kind: string) => {
    if (object === undefined || PLACES[kind]?.test(object) !== true) throw new Error(`${route}: not what the engine lists`);
    return object;
  });
  const search = new URLSearchParams(query).toString();
  return { method, path: search === '' ? filled : `${filled}?${search}` };
}

/** Whether a volume's name can be asked for. */
export function isVolumeName(name: string): boolean {
  return PLACES['volume']?.test(name) === true;
}
