/**
 * Asks the container engine which containers are as good as root on the host: privileged ones, and those that hold the engine's own
 * socket or the host's root. With the rights of whoever runs stewardctl, and with nothing but reading requests; what it says is advice.
 */
import { request } from 'node:http';
import { underPath } from '@steward/shared/config/match.ts';
import { openEngine } from '@steward/shared/engine/client.ts';
import { listContainers, refOf, shortId } from '@steward/shared/engine/containers.ts';
import type { Engine, Transport } from '@steward/shared/engine/engine.ts';
import { flag, items, members, text, texts } from '@steward/shared/engine/json.ts';

/** A container from which root on the host is one step away. */
export interface RootContainer {
  readonly name: string;
  /** Everything by which a grant may name it: name, full id and short id. */
  readonly names: readonly string[];
  readonly reason: string;
}

/** Milliseconds for all questions together. */
const PATIENCE_MS = 10_000;
/** Both are the engine's usual socket: one is a link to the other's directory. */
const USUAL_SOCKETS = ['/run/docker.sock', '/var/run/docker.sock', '/run/podman/podman.sock'];

/** Plain requests without a body are all that is needed here. */
const transportOn =
  (socketPath: string): Transport =>
  ({ method, path, signal }) =>
    new Promise((done, fail) => {
      request({ socketPath, method, path, signal, headers: { Host: 'engine', Connection: 'close' } }, done)
        .on('error', fail)
        .end();
    });

/** The containers of that kind, running or not. Rejects with StewardError when the engine cannot be asked. */
export async function rootContainers(socketPath: string): Promise<RootContainer[]> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const engine = await openEngine(transportOn(socketPath), socketPath, signal);
  const found: RootContainer[] = [];
  for (const { id, name } of (await listContainers(engine, signal)).map(refOf)) {
    const reason = await reasonOf(engine, id, socketPath, signal);
    if (reason !== undefined) found.push({ name, names: [name, id, shortId(id)], reason });
  }
  return found;
}

async function reasonOf(engine: Engine, id: string, socketPath: string, signal: AbortSignal): Promise<string | undefined> {
  const seen = members(await engine.read({ route: 'GET /containers/{container}/json', object: id, signal }));
  const host = members(seen['HostConfig']);
  if (flag(host['Privileged'])) return 'it is privileged';
  const mounted = items(seen['Mounts']).map((mount) => text(members(mount)['Source']));
  const bound = texts(host['Binds']).map((bind) => bind.split(':')[0] ?? '');
  const sources = [...mounted, ...bound].filter((source) => source.startsWith('/'));
  if (sources.includes('/')) return "the host's root is mounted in it";
  const sockets = [socketPath, ...USUAL_SOCKETS];
  const holder = sources.find((source) => sockets.some((socket) => underPath(source, socket)));
  return holder === undefined ? undefined : `it holds the engine's socket (${holder} is mounted in it)`;
}
