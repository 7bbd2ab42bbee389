/**
 * Somebody who has got code into the broker, under the very flags that the launcher gives it: no text becomes code, no native code is
 * loaded, and what all objects have in common stays as it is.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { brokerCommand } from '../../broker/launcher/commands.ts';

/** Each must throw, or leave things as they were. */
const ATTEMPTS = `
const attempts = {
  eval: () => eval('1'),
  Function: () => new Function('return 1')(),
  constructor: () => (() => 0).constructor('return 1')(),
  asyncFunction: () => (async () => 0).constructor('return 1')(),
  webAssembly: () => new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])),
  addon: () => process.dlopen({ exports: {} }, process.execPath),
  prototype: () => { 'use strict'; Object.prototype.polluted = 1; },
  array: () => { 'use strict'; Array.prototype.push = () => 0; },
  proto: () => { if ({}.__proto__ === undefined) throw new Error('there is none'); },
  json: () => { 'use strict'; JSON.parse = () => 0; },
  buffer: () => { 'use strict'; Promise.prototype.then = () => 0; },
};
for (const [name, attempt] of Object.entries(attempts)) {
  let outcome = 'worked';
  try { attempt(); } catch (error) { outcome = 'threw'; }
  console.log(name + ' ' + outcome);
}
`;

function flags(): string[] {
  const options = {
    dist: '/nowhere',
    configDir: '/nowhere',
    stateDir: '/nowhere',
    listen: [],
    account: undefined,
    smart: false,
  } as unknown as Parameters<typeof brokerCommand>[0];
  const { args } = brokerCommand(options);
  const program = args.indexOf(process.execPath);
  const bundle = args.findIndex((arg) => arg.endsWith('broker.js'));
  assert.ok(program >= 0 && bundle > program, 'the runtime, its flags, the bundle');
  return args.slice(program + 1, bundle);
}

function outcomes(given: readonly string[]): Record<string, string> {
  const directory = mkdtempSync(join(tmpdir(), 'steward-runtime-'));
  const script = join(directory, 'attempts.mjs');
  writeFileSync(script, ATTEMPTS);
  const { stdout, stderr } = spawnSync(process.execPath, [...given, script], { encoding: 'utf8', env: {} });
  rmSync(directory, { recursive: true });
  assert.match(stdout, / /, stderr);
  return Object.fromEntries(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.split(' ')),
  ) as Record<string, string>;
}

// abuse 111: broker
test('under the flags of the broker every attempt fails', () => {
  assert.deepEqual([...new Set(Object.values(outcomes(flags())))], ['threw']);
});

test('without them most would succeed', () => {
  const { eval: evaluated, Function: made, webAssembly, prototype, json } = outcomes([]);
  assert.deepEqual([evaluated, made, webAssembly, prototype, json], Array(5).fill('worked'));
});
