/** A real engine with a few containers on it, and a real pair that reaches it, for the tests of one file. */
import { after, before } from 'node:test';
import { startPair, type Pair, type PairOptions } from '../pair.ts';
import type { SseClient } from '../sse-client.ts';
import { skipEngine, startEngine, type TestEngine } from './dockerd.ts';

export const skip = skipEngine;

export const TOOLS = ['containers', 'manage', 'logs', 'exec', 'images', 'volumes', 'networks', 'prune'] as const;

/** Every docker tool on every container, and every view. */
export const EVERYTHING = `  ops:
    tools:
      docker/containers: {allowed: true}
      docker/images: {allowed: true}
      docker/volumes: {allowed: true}
      docker/networks: {allowed: true}
      docker/manage: {allowed: true, containers: ["*"]}
      docker/logs: {allowed: true, containers: ["*"]}
      docker/exec: {allowed: true, containers: ["*"]}
      docker/prune: {allowed: true, prune: [containers, images, volumes, networks, build-cache]}
    resources:
      "docker-container://": ["*"]
      "docker-image://": ["*"]
      "docker-volume://": ["*"]
      "docker-network://": ["*"]
`;

export interface EngineFixture {
  readonly engine: TestEngine;
  readonly pair: Pair;
  readonly ops: SseClient;
  /** The JSON that a tool answers. */
  data(tool: string, args?: Record<string, unknown>): Promise<unknown>;
  /** Text of a resource, or the error's message. */
  read(uri: string, client?: SseClient): Promise<string>;
}

/** Starts both before the file's tests and stops both after them. Use only inside of tests. */
export function engineFixture(prepare: (engine: TestEngine) => Promise<void>, options: PairOptions = {}): EngineFixture {
  const made: { engine?: TestEngine; pair?: Pair; ops?: SseClient } = {};
  const get = <Name extends keyof typeof made>(name: Name): NonNullable<(typeof made)[Name]> => {
    const one = made[name];
    if (one === undefined) throw new Error(`${name} has not been started`);
    return one;
  };
  before(async () => {
    if (skip !== false) return;
    made.engine = await startEngine();
    await prepare(made.engine);
    made.pair = await startPair({ grants: EVERYTHING, broker: `  engine_socket: ${made.engine.socket}\n`, ...options });
    made.ops = await made.pair.connect('ops');
  });
  after(async () => {
    await made.pair?.stop();
    await made.engine?.stop();
  });
  return {
    get engine() {
      return get('engine');
    },
    get pair() {
      return get('pair');
    },
    get ops() {
      return get('ops');
    },
    async data(tool, args = {}) {
      const { text, isError } = await get('ops').call(tool, { ...args, output_format: 'json' });
      if (isError) throw new Error(text);
      return JSON.parse(text) as unknown;
    },
    async read(uri, client = get('ops')) {
      const { result, error } = await client.rpc('resources/read', { uri });
      return error?.message ?? (result as { contents: { text: string }[] }).contents[0]?.text ?? '';
    },
  };
}
