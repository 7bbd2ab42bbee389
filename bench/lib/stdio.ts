/** A way into MCP servers that are started as programs and speak on their standard input and output, one message a line. */
import { spawn } from 'node:child_process';
import { checked, INITIALIZE, type Door } from './door.ts';
import type { Peer } from './peer.ts';
import { ticksOf } from './process-figures.ts';

export interface StdioServer {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Hands on every line, whole; pieces are put together only when the line ends. */
function byLines(take: (line: string) => void): (piece: Buffer) => void {
  let pieces: Buffer[] = [];
  return (piece) => {
    let rest = piece;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      take(Buffer.concat([...pieces, rest.subarray(0, end)]).toString('utf8'));
      pieces = [];
      rest = rest.subarray(end + 1);
    }
    if (rest.length > 0) pieces.push(rest);
  };
}

/** Starts the program and opens a session. Rejects when it ends before that. */
export async function startStdio({ name, program, args, env = {} }: StdioServer): Promise<Peer> {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'], env: { PATH: '/usr/bin:/bin', ...env } });
  const waiting = new Map<number, (answer: string) => void>();
  const ended = new Promise<never>((_, fail) => {
    child.once('error', fail);
    child.once('exit', (status) => fail(new Error(`${name} ended with status ${String(status)}`)));
  });
  ended.catch(() => undefined); // whoever waits for an answer sees it
  child.stdin.on('error', () => undefined);
  const take = (line: string): void => {
    // an answer has its id near one end; its content may hold anything
    const id = Number((/"id":(\d+)[,}]/.exec(line.slice(0, 200)) ?? /"id":(\d+)\}$/.exec(line.slice(-200)))?.[1]);
    waiting.get(id)?.(line);
    waiting.delete(id);
  };
  child.stdout.on('data', byLines(take));
  const say = (message: object): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  let next = 0;
  const ask = async (method: string, params: object): Promise<string> => {
    const id = ++next;
    const answer = new Promise<string>((done) => waiting.set(id, done));
    say({ id, method, params });
    return checked(await Promise.race([answer, ended]));
  };
  const door: Door = { ask, close: () => child.stdin.end() };
  await ask('initialize', INITIALIZE);
  say({ method: 'notifications/initialized' });
  const stop = (): void => {
    door.close();
    child.kill('SIGKILL');
  };
  return { name, door, processor: () => ticksOf(child.pid ?? 0), stop };
}
