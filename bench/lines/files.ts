/** Contents of files, small and large: beside MCP servers that do comparable work, and beside the classic programs. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DIST, type Pair } from '../../test/support/pair.ts';
import { sseDoor, streamableDoor, type Door } from '../lib/door.ts';
import type { Contestant, Line } from '../lib/line.ts';
import { startGateways } from '../lib/gateway.ts';
import { contestant, FILESYSTEM_SERVER, installed, type Peer } from '../lib/peer.ts';
import { program } from '../lib/program.ts';
import { startStdio } from '../lib/stdio.ts';
import { makeCalls, percentile } from '../lib/traffic.ts';

const CALLS = 100;
const LARGE = 'a line of text\n'.repeat(1024 * 1024);

interface Scratch {
  readonly directory: string;
  readonly close: () => void;
}

/** A directory that the frontend's account may write to. */
function scratch(): Scratch {
  const directory = mkdtempSync(join(tmpdir(), 'steward-bench-files-'));
  chmodSync(directory, 0o777);
  return { directory, close: () => rmSync(directory, { recursive: true, force: true }) };
}

/** steward as hosts see it that can only start programs: its relay, a process of its own, and TLS behind it. */
function startRelay(pair: Pair, directory: string): Promise<Peer> {
  const token = join(directory, 'token');
  writeFileSync(token, pair.token('ops'), { mode: 0o600 });
  const where = ['--server', pair.url, '--ca-file', join(pair.configDir, 'tls/steward.crt'), '--token-file', token];
  const args = [join(DIST, 'stewardctl.js'), ...where, 'stdio'];
  return startStdio({ name: 'steward, stdio through stewardctl', program: process.execPath, args, env: { HOME: directory } });
}

/** The official server for files, where it is installed. */
async function startFilesystem(directory: string): Promise<Peer[]> {
  const path = installed(FILESYSTEM_SERVER);
  if (path === undefined) return [];
  return [await startStdio({ name: 'filesystem server, stdio', program: process.execPath, args: [path, directory] })];
}

/** Desktop Commander, where it is installed; it is told beforehand to send nothing home. */
async function startDesktopCommander(directory: string): Promise<Peer[]> {
  const path = installed('@wonderwhy-er/desktop-commander/dist/index.js');
  if (path === undefined) return [];
  const home = join(directory, 'home');
  mkdirSync(join(home, '.claude-server-commander'), { recursive: true });
  const config = { telemetryEnabled: false, allowedDirectories: [directory] };
  writeFileSync(join(home, '.claude-server-commander/config.json'), JSON.stringify(config));
  const args = [path, '--no-onboarding'];
  return [await startStdio({ name: 'Desktop Commander, stdio', program: process.execPath, args, env: { HOME: home } })];
}

const medianOf = (door: Door, name: string, args: object) => async () =>
  percentile(await makeCalls(() => door.ask('tools/call', { name, arguments: args }), CALLS, 1), 0.5);

const reads: Line = {
  name: 'read-small',
  prepare: async (bench) => {
    const { pair } = await bench.pair();
    const { directory, close } = scratch();
    const path = join(directory, 'small');
    writeFileSync(path, 'a line of text\n'.repeat(100));
    const target = { url: pair.url, ca: pair.ca, token: pair.token('ops') };
    const door = await streamableDoor(target);
    const sse = await sseDoor(target);
    const relay = await startRelay(pair, directory);
    const others = [...(await startFilesystem(directory)), ...(await startGateways(directory))];
    const commanders = await startDesktopCommander(directory);
    const ours: Contestant = { name: 'files/read, Streamable HTTP', run: medianOf(door, 'files/read', { path }) };
    return {
      contestants: [
        ours,
        { name: 'files/read, SSE', run: medianOf(sse, 'files/read', { path }) },
        contestant(relay, medianOf(relay.door, 'files/read', { path })),
        ...others.map((peer) => contestant(peer, medianOf(peer.door, 'read_text_file', { path }))),
        ...commanders.map((peer) => contestant(peer, medianOf(peer.door, 'read_file', { path }))),
      ],
      note: `1500 bytes, median of ${CALLS}`,
      close: () => {
        door.close();
        sse.close();
        for (const peer of [relay, ...others, ...commanders]) peer.stop();
        close();
      },
    };
  },
};

const largeRead: Line = {
  name: 'read-16m',
  prepare: async (bench) => {
    const { directory, close } = scratch();
    const path = join(directory, 'large');
    writeFileSync(path, LARGE);
    const args = { path, limit: 16 * 1024 * 1024 };
    const ours = await bench.call('files/read', args);
    const asRoot = await bench.call('files/read', { ...args, privileged: true });
    const others = await startFilesystem(directory);
    const whole = (door: Door) => async (): Promise<undefined> => {
      await door.ask('tools/call', { name: 'read_text_file', arguments: { path } });
    };
    return {
      contestants: [ours, asRoot, program('cat', [path]), ...others.map((peer) => contestant(peer, whole(peer.door)))],
      note: `${(LARGE.length / 1e6).toFixed(1)} MB of text`,
      close: () => {
        for (const peer of others) peer.stop();
        close();
      },
    };
  },
};

/** The gateway takes many seconds for each answer: on request. */
const largeReadByGateway: Line = {
  name: 'read-16m-gateway',
  onRequest: true,
  prepare: async (bench) => {
    const { directory, close } = scratch();
    const path = join(directory, 'large');
    writeFileSync(path, LARGE);
    const peers = await startGateways(directory);
    if (peers.length === 0) return { why: 'the gateway is not installed', close };
    const { pair } = await bench.pair();
    const target = { url: pair.url, ca: pair.ca, token: pair.token('ops') };
    const [streamable, sse] = [await streamableDoor(target), await sseDoor(target)];
    const ask = (door: Door, name: string, args: object) => async (): Promise<undefined> => {
      await door.ask('tools/call', { name, arguments: args });
    };
    const args = { path, limit: 16 * 1024 * 1024 };
    return {
      contestants: [
        { name: 'files/read, Streamable HTTP', run: ask(streamable, 'files/read', args) },
        { name: 'files/read, SSE', run: ask(sse, 'files/read', args) },
        ...peers.map((peer) => contestant(peer, ask(peer.door, 'read_text_file', { path }))),
      ],
      note: `${(LARGE.length / 1e6).toFixed(1)} MB of text`,
      rounds: 5,
      close: () => {
        for (const peer of peers) peer.stop();
        streamable.close();
        sse.close();
        close();
      },
    };
  },
};

const largeCreate: Line = {
  name: 'create-16m',
  prepare: async (bench) => {
    const { directory, close } = scratch();
    const { pair } = await bench.ownPair({
      grants: `  ops:\n    tools:\n      files/create: {allowed: true, paths: ["${directory}"]}\n`,
      daemon: 'limits: {max_body_bytes: 33554432}\n',
    });
    const door = await sseDoor({ url: pair.url, ca: pair.ca, token: pair.token('ops') });
    let made = 0;
    const create = (more: object) => async (): Promise<undefined> => {
      const args = { path: join(directory, `made-${++made}`), content: LARGE, ...more };
      await door.ask('tools/call', { name: 'files/create', arguments: args });
    };
    const source = join(directory, 'source');
    writeFileSync(source, LARGE);
    return {
      contestants: [
        { name: 'files/create', run: create({}) },
        { name: 'files/create as root, recorded durably', run: create({ privileged: true }) },
        program('cp', [source, join(directory, 'copy')], { privileged: true }),
      ],
      note: `${(LARGE.length / 1e6).toFixed(1)} MB of text`,
      close: () => {
        door.close();
        close();
      },
    };
  },
};

export const lines = [reads, largeRead, largeReadByGateway, largeCreate];
