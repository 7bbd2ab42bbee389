/** Numbers of devices: those that the kernel makes up are told from those of devices. */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { test } from 'node:test';
import { isMadeUp, makeDevice } from './device-number.ts';

test('only numbers with major 0 are made up', () => {
  for (const major of [0n, 1n, 8n, 254n, 0xfffn, 0x1000n]) {
    for (const minor of [0n, 1n, 255n, 256n, 0xfffffn]) {
      assert.equal(isMadeUp(Number(makeDevice(major, minor))), major === 0n, `${major}:${minor}`);
    }
  }
  for (const pseudo of ['/proc', '/sys']) assert.equal(isMadeUp(statSync(pseudo).dev), true, pseudo);
});
