/** Starts the system inside the virtual machine again and waits until it is running. Test only. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Inside, waitUntilRunning } from '../inside/inside.ts';
import { giveAddress } from './boot.ts';

const [RESTART_MS, ANSWER_MS] = [900_000, 20_000];

/** The boot's id, or undefined when nobody answers: a command that is running when the system ends has no answer. */
async function bootId(inside: Inside): Promise<string | undefined> {
  const asked = inside.run(['cat', '/proc/sys/kernel/random/boot_id']).then(({ stdout }) => stdout);
  return Promise.race([asked, sleep(ANSWER_MS, undefined, { ref: false })]);
}

/** Sessions with the pair inside end; it has to be started again. Rejects when the machine does not come back. */
export async function restart(inside: Inside): Promise<void> {
  const before = await bootId(inside);
  await inside.run(['systemctl', 'reboot', '--no-block']);
  const end = performance.now() + RESTART_MS;
  for (let now = before; now === undefined || now === before; now = await bootId(inside)) {
    if (performance.now() > end) throw new Error('the machine did not start again');
    await sleep(500);
  }
  await waitUntilRunning(inside);
  await giveAddress(inside);
}
