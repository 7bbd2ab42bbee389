/** What a running host is asked for most: processes and sockets. */
import { spawn, type ChildProcess } from 'node:child_process';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Line } from '../lib/line.ts';
import { program } from '../lib/program.ts';

const PROCESSES = 500;
const SOCKETS = 10_000;

/** Processes that do nothing, so that there are 500 of them in all. */
function fillProcesses(): { note: string; close: () => Promise<void> } {
  const others = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).length;
  const idle: ChildProcess[] = [];
  for (let count = others; count < PROCESSES; count++) idle.push(spawn('/bin/sleep', ['3600'], { stdio: 'ignore' }));
  const close = async (): Promise<void> => {
    const ended = idle.map((child) => new Promise((done) => child.once('exit', done)));
    for (const child of idle) child.kill('SIGKILL');
    await Promise.all(ended);
  };
  return { note: `${others + idle.length} processes`, close };
}

const processes: Line = {
  name: 'processes',
  prepare: async (bench) => {
    const filled = fillProcesses();
    return { contestants: [await bench.call('processes/list'), program('ps', ['aux'])], ...filled };
  },
};

const top: Line = {
  name: 'top',
  prepare: async (bench) => {
    const filled = fillProcesses();
    return { contestants: [await bench.call('processes/top'), program('top', ['-b', '-n1'])], ...filled };
  },
};

interface Sockets {
  readonly count: number;
  readonly close: () => Promise<void>;
}

/** Connections of this process with itself: each is two sockets. */
async function fillSockets(): Promise<Sockets> {
  const held: Socket[] = [];
  const server: Server = createServer((socket) => void held.push(socket));
  await new Promise<void>((done) => server.listen({ port: 0, host: '127.0.0.1', backlog: 1024 }, done));
  const address = server.address();
  const port = address === null || typeof address === 'string' ? 0 : address.port;
  const open = (): Promise<void> =>
    new Promise((done, fail) => {
      const socket = connect(port, '127.0.0.1', done).on('error', fail);
      held.push(socket);
    });
  for (let made = 0; made < SOCKETS / 2; made += 100) await Promise.all(Array.from({ length: 100 }, open));
  while (held.length < SOCKETS) await sleep(10);
  const close = async (): Promise<void> => {
    for (const socket of held) socket.resetAndDestroy();
    await new Promise((done) => server.close(done));
  };
  return { count: held.length, close };
}

function connections(privileged: boolean): Line {
  return {
    name: privileged ? 'connections-as-root' : 'connections',
    prepare: async (bench) => {
      const client = await bench.call('network/connections', privileged ? { privileged } : {});
      const { count, close } = await fillSockets();
      const peer = program('ss', privileged ? ['-tanp'] : ['-tan'], { privileged });
      return { contestants: [client, peer], note: `${count} sockets`, close };
    },
  };
}

export const lines = [processes, top, connections(false), connections(true)];
