/**
 * One booted host with the pair in it for the tests of one file: switched on before the first and off after the last. Where it
 * cannot be booted every test is left out with the reason. Test only.
 */
import { after, before } from 'node:test';
import { unableToBoot } from '../debian/cache.ts';
import type { Inside } from '../inside/inside.ts';
import { type InsidePair, startInside } from '../inside/pair.ts';
import { freePort } from '../pair.ts';
import type { SseClient } from '../sse-client.ts';
import { type Host, bootHost } from './boot.ts';

export interface HostSuite extends Inside {
  /** For the options of every test. */
  readonly skip: string | false;
  /** The session of that user, one for the whole file. */
  as(user: string): Promise<SseClient>;
  audit(): Promise<string>;
}

export interface HostSuiteOptions {
  /** YAML below `users:` of grants.yaml, indented by two spaces. */
  readonly grants: string;
  readonly users?: readonly string[];
  /** Accounts made inside before the pair starts. */
  readonly accounts?: readonly string[];
  /** Anything else that the tests of the file build on, done inside before the pair starts. */
  readonly prepare?: (host: Inside) => Promise<void>;
}

/** Registers the hooks; to be called once, at the top of a test file. */
export function bootedHost(options: HostSuiteOptions): HostSuite {
  const reason = unableToBoot(['systemd-nspawn', 'nsenter']);
  let host: Host | undefined;
  let pair: InsidePair | undefined;
  const sessions = new Map<string, Promise<SseClient>>();

  before(async () => {
    if (reason !== undefined) return;
    host = await bootHost();
    for (const account of options.accounts ?? []) await host.run(['useradd', '--create-home', '--shell=/bin/bash', account]);
    await options.prepare?.(host);
    const port = await freePort();
    const users = options.users ?? ['ops', 'guest'];
    pair = await startInside(host, { grants: options.grants, users, listen: `127.0.0.1:${port}`, port, patienceMs: 30_000 });
  });
  after(async () => {
    await pair?.stop();
    await host?.stop();
  });

  const booted = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('the host is not booted');
    return value;
  };
  return {
    skip: reason ?? false,
    run: (argv, input) => booted(host).run(argv, input),
    console: () => host?.console() ?? '',
    audit: () => booted(pair).audit(),
    as: (user) => {
      const session = sessions.get(user) ?? booted(pair).connect(user);
      sessions.set(user, session);
      return session;
    },
  };
}
