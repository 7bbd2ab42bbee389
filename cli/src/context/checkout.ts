/**
 * Finds the daemon of a checkout: `make run` keeps everything of it below `.run/`, so that commands work there without any
 * configuration.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface Checkout {
  /** The `.run` directory. */
  readonly directory: string;
  readonly token: string;
  readonly certificate: string;
  readonly configDir: string;
  readonly daemonFile: string;
  /** Holds the address that was last started, which need not be that of daemon.yaml (`make run PORT=n`). May be missing. */
  readonly urlFile: string;
}

function checkoutAt(root: string): Checkout | undefined {
  const directory = join(root, '.run');
  const configDir = join(directory, 'config');
  const found = {
    directory,
    token: join(directory, 'token'),
    certificate: join(directory, 'tls/steward.crt'),
    configDir,
    daemonFile: join(configDir, 'daemon.yaml'),
    urlFile: join(directory, 'url'),
  };
  // Both can be seen by everybody: who may not read the token is told that, and not that there is no daemon.
  return [found.token, found.certificate].every((path) => existsSync(path)) ? found : undefined;
}

/** The nearest `.run/` at or above a directory. */
export function findCheckout(from: string): Checkout | undefined {
  for (let root = from; ; root = dirname(root)) {
    const found = checkoutAt(root);
    if (found !== undefined || root === dirname(root)) return found;
  }
}

/** Addresses that mean "every address of this host" are reached on loopback. */
const EVERYWHERE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '[::]': '[::1]', '': '127.0.0.1' };

/**
 * The address of a daemon on this host, from the value of its `server` block.
 *
 * @param server the block as parsed; defaults of daemon.yaml fill what is missing
 */
export function addressOf(server: { readonly listen?: unknown; readonly tls?: unknown }): URL {
  const first: unknown = Array.isArray(server.listen) ? server.listen[0] : undefined;
  const listen = typeof first === 'string' ? first : '127.0.0.1:9091';
  const colon = listen.lastIndexOf(':');
  const host = listen.slice(0, colon);
  const tls = server.tls as { enabled?: unknown } | undefined;
  return new URL(`${tls?.enabled === false ? 'http' : 'https'}://${EVERYWHERE[host] ?? host}:${listen.slice(colon + 1)}`);
}
