/**
 * What all fuzzers share: how many inputs, which seed, and what is said when one of them fails. The ordinary run takes the same
 * inputs every time; a run that was asked for (STEWARD_FUZZ_MINUTES) takes others each time, for as long as asked.
 *
 *   STEWARD_FUZZ_MINUTES=n   all fuzzers together, about so long
 *   STEWARD_FUZZ_SEED=n      the seed that a failure named
 */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Random } from './random.ts';

const MINUTES = Number(process.env['STEWARD_FUZZ_MINUTES'] ?? '');
const SEED = Number(process.env['STEWARD_FUZZ_SEED'] ?? (MINUTES > 0 ? Date.now() % 0x7fffffff : 1));

/** Heap and buffers that may be in use more at the end than after the warm-up, in bytes. */
const FLAT_BYTES = 5 * 1024 * 1024;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

export interface Plan {
  /** Inputs of the ordinary run. */
  readonly inputs: number;
  /** Share of the minutes asked for, 0 to 1; the shares of all fuzzers add up to 1. */
  readonly share: number;
  /** Inputs before memory and descriptors are first measured. */
  readonly warmUp?: number;
}

/** Gives `tryOne` one input after the other; a failure names the input. Memory and descriptors of this process stay as they were. */
export async function fuzz(
  context: TestContext,
  { inputs, share, warmUp = Math.min(2000, Math.floor(inputs / 4)) }: Plan,
  tryOne: (random: Random, input: number) => void | Promise<void>,
): Promise<number> {
  const end = performance.now() + MINUTES * share * 60_000;
  const goesOn = (input: number): boolean => (MINUTES > 0 ? performance.now() < end : input < inputs);
  let before: Held | undefined;
  let input = 0;
  for (; goesOn(input) || before === undefined; input += 1) {
    if (input === warmUp) before = await held();
    try {
      const trial = tryOne(new Random(SEED, input), input);
      if (trial !== undefined) await trial;
    } catch (error) {
      throw new Error(`input ${input} of STEWARD_FUZZ_SEED=${SEED}: ${(error as Error).message}`, { cause: error });
    }
  }
  const after = await held();
  context.diagnostic(`${input} inputs of seed ${SEED}, memory ${signed(after.bytes - before.bytes)} bytes`);
  assert.ok(after.bytes - before.bytes < FLAT_BYTES, `memory grew by ${after.bytes - before.bytes} bytes`);
  assert.equal(after.descriptors, before.descriptors, 'descriptors were left open');
  return input;
}

interface Held {
  readonly bytes: number;
  readonly descriptors: number;
}

/** Buffers are given back between two turns of the loop. */
async function held(): Promise<Held> {
  for (let round = 0; round < 3; round += 1) {
    collectGarbage();
    await nextTurn();
  }
  const { heapUsed, external } = process.memoryUsage();
  return { bytes: heapUsed + external, descriptors: readdirSync('/proc/self/fd').length };
}

const signed = (number: number): string => (number < 0 ? String(number) : `+${number}`);
