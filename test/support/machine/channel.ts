/**
 * The test's end of the port over which the machine's agent takes commands: a Unix socket of the emulator in a directory that
 * only root can enter. Test only.
 */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type Socket, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ran } from '../inside/inside.ts';

export interface Channel {
  /** Runs one command inside; waits for the agent, which may not have been started yet. */
  run(argv: readonly string[], input: string): Promise<Ran>;
  close(): void;
}

interface Waiting {
  done(ran: Ran): void;
  fail(error: Error): void;
}

/** Connects to the emulator's socket, which it makes when it starts. Rejects after `patienceMs`. */
export async function openChannel(path: string, patienceMs: number): Promise<Channel> {
  const end = performance.now() + patienceMs;
  while (!existsSync(path)) {
    if (performance.now() > end) throw new Error(`the emulator made no ${path}`);
    await sleep(50);
  }
  const socket = connect(path);
  await once(socket, 'connect');
  const waiting = new Map<number, Waiting>();
  readAnswers(socket, waiting);
  let last = 0;
  return {
    run: (argv, input) =>
      new Promise((done, fail) => {
        last += 1;
        waiting.set(last, { done, fail });
        socket.write(`${JSON.stringify({ id: last, argv, input })}\n`);
      }),
    close: () => socket.destroy(),
  };
}

function readAnswers(socket: Socket, waiting: Map<number, Waiting>): void {
  let rest = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const { id, ...ran } = JSON.parse(line) as Ran & { id: number };
      waiting.get(id)?.done(ran);
      waiting.delete(id);
    }
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    for (const one of waiting.values()) one.fail(new Error('the machine is gone'));
    waiting.clear();
  });
}
