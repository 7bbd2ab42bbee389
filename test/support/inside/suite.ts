/**
 * A booted system with the pair in it for the tests of one file: switched on before the first and off after the last. Where it
 * cannot be booted every test is left out with the reason. Test only.
 */
import { after, before } from 'node:test';
import type { Reachable } from '../ctl.ts';
import { freePort } from '../port.ts';
import type { SseClient } from '../sse-client.ts';
import type { Inside } from './inside.ts';
import { type InsidePair, startInside } from './pair.ts';

export interface SuiteOptions {
  /** YAML below `users:` of grants.yaml, indented by two spaces. */
  readonly grants: string;
  /** Default `ops` and `guest`. */
  readonly users?: readonly string[];
  /** Keys for the audit block, two-space indented lines. */
  readonly audit?: string;
  /** Under the profile that stewardctl makes of the grants. */
  readonly sealed?: boolean;
  /** Accounts made inside before the pair starts. */
  readonly accounts?: readonly string[];
  /** Anything else that the tests of the file build on, done inside before the pair starts. */
  readonly prepare?: (inside: Inside) => Promise<void>;
}

export interface Suite extends Inside {
  /** For the options of every test. */
  readonly skip: string | false;
  /** Where the pair is reached from out here; not before the first test. */
  reachable(): Reachable;
  /** The session of that user, one for the whole file. */
  as(user: string): Promise<SseClient>;
  /** Text of a resource, read by that user. Rejects with the error's message. */
  resource(user: string, uri: string): Promise<string>;
  /** Contents of the audit log. */
  audit(): Promise<string>;
  /** Starts the pair again, after the system inside was started again. */
  startPair(): Promise<void>;
}

/** A kind of system. */
export interface Bootable {
  /** Why it cannot be booted here; undefined when it can. */
  readonly reason: string | undefined;
  /** `port`: free on this machine's loopback; leads to `listen` inside. */
  boot(port: number): Promise<Inside & { stop(): Promise<void> }>;
  /** Listen address inside. */
  listen(port: number): string;
  /** Milliseconds until the pair has to answer. */
  readonly patienceMs: number;
  /** Drop-ins of the broker's unit, by file name. */
  readonly dropIns?: Readonly<Record<string, string>>;
}

/** Registers the hooks; to be called once, at the top of a test file. */
export function bootedSuite(system: Bootable, options: SuiteOptions): Suite {
  let inside: Awaited<ReturnType<Bootable['boot']>> | undefined;
  let pair: InsidePair | undefined;
  let port = 0;
  const sessions = new Map<string, Promise<SseClient>>();

  const startPair = async (): Promise<void> => {
    const users = options.users ?? ['ops', 'guest'];
    const { patienceMs, dropIns = {} } = system;
    sessions.clear();
    const { grants, audit = '', sealed = false } = options;
    const place = { listen: system.listen(port), port, patienceMs, dropIns };
    pair = await startInside(booted(inside), { grants, audit, sealed, users, ...place });
  };
  before(async () => {
    if (system.reason !== undefined) return;
    port = await freePort();
    inside = await system.boot(port);
    for (const account of options.accounts ?? []) await inside.run(['useradd', '--create-home', '--shell=/bin/bash', account]);
    await options.prepare?.(inside);
    await startPair();
  });
  after(async () => {
    await pair?.stop();
    await inside?.stop();
  });

  const as = (user: string): Promise<SseClient> => {
    const session = sessions.get(user) ?? booted(pair).connect(user);
    sessions.set(user, session);
    session.catch(() => sessions.delete(user)); // who asks again may be luckier
    return session;
  };
  return {
    skip: system.reason ?? false,
    run: (argv, input) => booted(inside).run(argv, input),
    console: () => inside?.console() ?? '',
    audit: () => booted(pair).audit(),
    reachable: () => booted(pair).reachable,
    as,
    resource: async (user, uri) => {
      const { result, error } = await (await as(user)).rpc('resources/read', { uri });
      if (error !== undefined) throw new Error(error.message);
      return (result?.['contents'] as { text: string }[])[0]?.text ?? '';
    },
    startPair,
  };
}

function booted<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the system is not booted');
  return value;
}
