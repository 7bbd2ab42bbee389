/** What lines are given: one pair for all that need nothing special of it, started when it is first asked for. */
import type { PairOptions } from '../../test/support/pair.ts';
import { connectClient, type BenchClient } from './client.ts';
import type { Contestant } from './line.ts';
import { dropSharedTrees } from './tree.ts';
import { startBenchPair, type BenchPair } from './pair.ts';

/** Reading tools, each as root and for every object. */
const GRANTED = [
  'files/find: {allowed: true, paths: [/]}',
  'files/list: {allowed: true, paths: [/]}',
  'files/read: {allowed: true, paths: [/]}',
  'files/chmod: {allowed: true, paths: [/]}',
  'disks/usage: {allowed: true, paths: [/]}',
  'network/connections: {allowed: true}',
  'logs/journal-control: {allowed: true}',
];

export class Bench {
  #shared: BenchPair | undefined;
  #client: BenchClient | undefined;
  readonly #own: BenchPair[] = [];

  /** The pair whose figures belong to the line at hand: its own one, else the shared one. */
  get measured(): BenchPair | undefined {
    return this.#own.at(-1) ?? this.#shared;
  }

  /** The shared pair; its user `ops` holds grants for reading tools. */
  async pair(): Promise<BenchPair> {
    this.#shared ??= await startBenchPair({
      grants: `  ops:\n    tools:\n${GRANTED.map((line) => `      ${line}\n`).join('')}`,
      daemon: 'limits: {timeout_seconds: 600, requests_per_second: 1000000, burst: 1000000}\n',
    });
    return this.#shared;
  }

  /** A session of `ops` on the shared pair. */
  async client(): Promise<BenchClient> {
    this.#client ??= await connectClient((await this.pair()).pair);
    return this.#client;
  }

  /** A pair of the line's own; stopped when the line is over. */
  async ownPair(options: PairOptions): Promise<BenchPair> {
    const pair = await startBenchPair(options);
    this.#own.push(pair);
    return pair;
  }

  /** One call of a tool on the shared pair as a contestant. */
  async call(name: string, args: Readonly<Record<string, unknown>> = {}): Promise<Contestant> {
    const client = await this.client();
    const words = args['privileged'] === true ? `${name} as root` : name;
    return { name: words, run: () => client.call(name, args).then(() => undefined) };
  }

  /** Ends what belonged to one line. */
  async endLine(): Promise<void> {
    for (const pair of this.#own.splice(0)) await pair.stop();
  }

  async close(): Promise<void> {
    await this.endLine();
    this.#client?.close();
    await this.#shared?.stop();
    await dropSharedTrees();
  }
}
