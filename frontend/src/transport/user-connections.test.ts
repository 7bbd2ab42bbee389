/** Proves that a user with a good token does not take all connections there are. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { startHarness, type Harness } from '../testing/harness.ts';

const SESSIONS = 2;
/** Connections that one user may hold, as docs/PROTOCOL.md says. */
const MOST = 1024 + SESSIONS;
const AT_A_TIME = 64;

let it: Harness;
before(async () => {
  it = await startHarness({ rest: `limits: {max_sessions_per_user: ${SESSIONS}}\n` });
});
after(() => it.stop());

/** Asks for something that needs a good token alone, on a connection that is kept: the head of the answer. */
async function ask(user: string): Promise<{ readonly socket: Socket; readonly head: string }> {
  const socket = connect(it.target.port, '127.0.0.1').on('error', () => undefined);
  socket.write(
    `POST /message?session_id=none HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${user}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}',
  );
  const [piece] = (await once(socket, 'data')) as [Buffer];
  return { socket, head: piece.toString('latin1') };
}

const statusOf = (head: string): string => head.slice(9, 12);

test('wire 137: one connection too many is refused and closed, until another has been closed', async () => {
  const kept: Socket[] = [];
  try {
    while (kept.length < MOST) {
      const wanted = Math.min(AT_A_TIME, MOST - kept.length);
      const answers = await Promise.all(Array.from({ length: wanted }, () => ask('alice')));
      for (const { socket, head } of answers) {
        kept.push(socket);
        assert.equal(statusOf(head), '404');
      }
    }
    const refused = await ask('alice');
    assert.equal(statusOf(refused.head), '429');
    assert.match(refused.head, /^retry-after: \d+\r$/im);
    await once(refused.socket.resume(), 'close');
    const other = await ask('bob');
    kept.push(other.socket);
    assert.equal(statusOf(other.head), '404');
    kept[0]?.destroy();
    let again = await ask('alice');
    for (let tries = 0; statusOf(again.head) === '429' && tries < 500; tries += 1) {
      again.socket.destroy();
      await new Promise((done) => setTimeout(done, 20));
      again = await ask('alice');
    }
    kept.push(again.socket);
    assert.equal(statusOf(again.head), '404');
  } finally {
    for (const socket of kept) socket.destroy();
  }
});
