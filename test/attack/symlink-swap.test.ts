/**
 * Races. While calls run as root, another process keeps swapping a directory or a file inside the grant for a symbolic link to the
 * outside: by exchanging the two, or with a moment in which nothing is there. Not one call may reach the outside, through the whole
 * stack or straight at the broker. The same harness against a walk that checks and then acts on the path does find breaches, so it
 * would find ours.
 *
 * STEWARD_ATTACK_SECONDS sets the time for each (default 1, half of it straight at the broker); STEWARD_ATTACK_SWAPS a number of exchanges for each instead.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openDoors, type Doors, type Said } from '../support/both-doors.ts';
import { fileGrants } from '../support/door-frame.ts';
import { naive } from '../support/naive-walker.ts';
import { isRoot } from '../support/pair.ts';
import { INSIDE, makeGround, underAttack, type Ground, type Kind, type Way } from '../support/race.ts';

const skip = !isRoot && 'needs root: the attack is on what root may do';
const MS = Number(process.env['STEWARD_ATTACK_SECONDS'] ?? 1) * 1000;
const SWAPS = Number(process.env['STEWARD_ATTACK_SWAPS'] ?? 0);
/** How long a breach of the naive walk may take to come, in milliseconds: a busy machine gives the attacker little room. */
const PATIENCE_MS = 60_000;
const [FRONTEND, BROKER] = [0, 1];

let ground: Ground;
let doors: Doors;

before(async () => {
  if (!isRoot) return;
  ground = makeGround();
  ground.plant();
  const usage = `      disks/usage: {allowed: true, paths: ["${ground.grant}"]}\n`;
  const tools = ['read', 'list', 'find', 'create', 'update', 'chmod', 'chown'];
  doors = await openDoors(fileGrants(ground.grant, tools, usage), ground.grant);
});
after(async () => {
  await doors?.close();
  ground?.remove();
});

/** `TIMEOUT`: an attacker of this kind may keep the whole machine busy. */
const EXPECTED = new Set(['REFUSED_SYMLINK', 'SYSTEM', 'RESTRICTED', 'CONFLICT', 'NOT_REGULAR', 'TIMEOUT']);

/** Whether the call came through. Fails if it told anything of the outside, or failed for a reason that nobody foresaw. */
function judge({ code, text }: Said): boolean {
  assert.ok(!text.includes('outside secret'), 'content of the outside was read');
  assert.ok(code === 'OK' || EXPECTED.has(code), `${code}: ${text}`);
  return code === 'OK';
}

type Called = readonly [op: string, args: Record<string, unknown>, content?: string];

const victim = (): string => ground.victim;
const inGrant = (name: string): string => join(ground.grant, name);
let round = 0;
const turn = <T>(one: T, other: T): T => ((round += 1) % 2 === 0 ? one : other);
const CALLS: Record<string, () => Called> = {
  'files/read': () => ['files/read', { path: victim() }],
  'files/list': () => ['files/list', { path: inGrant('d/deep') }],
  'files/find': () => ['files/find', { path: inGrant('d') }],
  'files/create over a file': () => ['files/create', { path: victim() }, INSIDE],
  'files/create of new files': () => ['files/create', { path: inGrant(`d/new-${(round += 1) % 50}`) }, 'new'],
  'files/update append': () => ['files/update', { path: victim(), append: true }, 'x'],
  'files/update range': () => ['files/update', { path: victim(), start_line: 1, end_line: 1 }, 'line'],
  'files/chmod': () => ['files/chmod', { path: victim(), mode: turn('644', '666') }],
  'files/chown': () => ['files/chown', { path: victim(), owner: turn('nobody', 'daemon') }],
  'files/chown recursive': () => ['files/chown', { path: ground.grant, owner: turn('nobody', 'daemon'), recursive: true }],
  'disks/usage': () => ['disks/usage', { path: ground.grant, all: true }],
  'files/chmod recursive': () => ['files/chmod', { path: ground.grant, mode: turn('u+x', 'u-x'), recursive: true }],
};

const ATTACKS: readonly (readonly [way: Way, kind: Kind])[] = [
  ['exchanged', 'dir'],
  ['exchanged', 'file'],
  ['replaced', 'dir'],
];

function race(title: string, door: number, call: () => Called, [way, kind]: readonly [Way, Kind]): void {
  test(`${title} while a ${kind === 'dir' ? 'directory' : 'file'} is ${way}`, { skip }, async (context) => {
    ground.plant();
    const untouched = ground.canary();
    const rules = { way, kind, ms: door === BROKER ? MS / 2 : MS, swaps: SWAPS };
    const { reached, calls, swaps } = await underAttack(ground, rules, async () => judge(await doors.callAt(door, ...call())));
    assert.equal(ground.canary(), untouched, 'the outside was changed');
    assert.ok(calls > 0 && swaps > 500, `too little happened: ${calls} calls, ${swaps} swaps`);
    context.diagnostic(`${calls} calls, ${reached} came through, ${swaps} swaps, 0 breaches`);
  });
}

// abuse 60, 61, 62, 63: frontend
for (const [name, call] of Object.entries(CALLS)) {
  for (const attack of ATTACKS) race(name, FRONTEND, call, attack);
}

// abuse 60, 61, 62, 63: broker
for (const [name, call] of Object.entries(CALLS)) race(`straight at the broker, ${name}`, BROKER, call, ['exchanged', 'dir']);

test('nothing is left of all that', { skip }, () => doors.checkNothingIsLeft());

/** What a walk by names does, and whether it reached the outside. Not one of these is ever certain. */
const NAIVE: Readonly<Record<string, () => boolean>> = {
  read: () => naive.read(victim()) !== INSIDE,
  chmod: () => (naive.chmod(victim(), turn(0o640, 0o644)), false),
  chown: () => (naive.chown(victim(), turn(1, 2), 0), false),
};

for (const [name, act] of Object.entries(NAIVE)) {
  test(`the harness finds breaches in a walk that checks and then acts: ${name}`, { skip }, async (context) => {
    ground.plant();
    const untouched = ground.canary();
    let breaches = 0;
    const rules = { way: 'exchanged', kind: 'dir', ms: PATIENCE_MS, swaps: 0, isOver: () => breaches > 0 } as const;
    const { swaps } = await underAttack(ground, rules, async () => {
      await new Promise(setImmediate);
      for (let tries = 0; tries < 200; tries += 1) {
        try {
          if (act()) breaches += 1;
        } catch {
          // refused, or swapped away at this very moment
        }
      }
      if (ground.canary() !== untouched) breaches += 1;
      return true;
    });
    assert.ok(breaches > 0, `no breach in ${swaps} swaps`);
    context.diagnostic(`breached within ${swaps} swaps`);
  });
}
