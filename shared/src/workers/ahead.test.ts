/** Proves that work which a helper begins ahead is done once and comes in its order, whoever did it and whenever the helper comes. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { workAhead } from './ahead.ts';
import { helpInOrder } from './in-order.ts';
import { TeamHelper, TeamLead, type Invitation, type Piece } from './team.ts';

const BATCHES = Array.from({ length: 40 }, (_, index) => [String(index)]);

const ignore = (): void => undefined;
const byLead = ([name = '']: Piece): string => `lead ${name}`;

const help = async (invitation: Invitation, done: () => void = ignore): Promise<void> => {
  const helper = new TeamHelper(invitation);
  await helpInOrder(
    helper,
    ([name = '']) => {
      done();
      return `helper ${name}`;
    },
    ignore,
  );
  helper.close();
};

const teamOf = (invite: (invitation: Invitation) => void) => (): TeamLead => new TeamLead(invite);
const numbersOf = (parts: readonly string[]): unknown => parts.map((part) => [part.split(' ')[1]]);
const countOf = (parts: readonly string[], who: string): number => parts.filter((part) => part.startsWith(who)).length;

test('alone: without a team, with few batches, with none', async () => {
  for (const count of [40, 7, 0]) {
    const makeTeam = (): never => assert.fail('few');
    const given = count === 40 ? undefined : makeTeam;
    const { own, parts } = await workAhead(BATCHES.slice(0, count), byLead, ignore, given, () => Promise.resolve('own'));
    assert.equal(own, 'own');
    assert.deepEqual(numbersOf(parts), BATCHES.slice(0, count));
  }
});

test('the helper does the first batches while the lead does something else', { timeout: 60_000 }, async () => {
  const { promise: four, resolve } = Promise.withResolvers<undefined>();
  let helped: Promise<void> | undefined;
  let did = 0;
  const first = async (): Promise<void> => {
    await four; // it settles only because the helper works meanwhile
  };
  const invited = (invitation: Invitation): void => {
    helped = help(invitation, () => (++did === 4 ? resolve(undefined) : undefined));
  };
  const { parts } = await workAhead(BATCHES, byLead, ignore, teamOf(invited), first);
  await helped;
  assert.deepEqual(numbersOf(parts), BATCHES);
  assert.ok(countOf(parts, 'helper') >= 4 && countOf(parts, 'lead') > 0);
  assert.deepEqual(parts.slice(0, 4), ['helper 0', 'helper 1', 'helper 2', 'helper 3']);
});

test('nobody comes, or somebody comes too late', { timeout: 60_000 }, async () => {
  let late: Invitation | undefined;
  for (const invited of [({ port }: Invitation) => port.close(), (invitation: Invitation) => void (late = invitation)]) {
    const { parts } = await workAhead(BATCHES, byLead, ignore, teamOf(invited), turn);
    assert.deepEqual(
      parts,
      BATCHES.map((batch) => byLead(batch)),
    );
  }
  assert.ok(late !== undefined);
  await help(late, () => assert.fail('all is done'));
});

test('a helper that comes when the lead is almost done keeps what it was given', { timeout: 60_000 }, async () => {
  let invitation: Invitation | undefined;
  let helped: Promise<void> | undefined;
  const work = (batch: Piece): string => {
    if (batch[0] === '39' && invitation !== undefined) helped = help(invitation);
    return byLead(batch);
  };
  const { parts } = await workAhead(
    BATCHES,
    work,
    ignore,
    teamOf((sent) => void (invitation = sent)),
    turn,
  );
  await helped;
  assert.deepEqual(numbersOf(parts), BATCHES);
  assert.equal(countOf(parts, 'helper'), 4);
});

test('what fails, first or afterwards, fails, and so does what is no longer wanted', { timeout: 60_000 }, async () => {
  const fail = (): never => {
    throw new Error('cannot');
  };
  const nobody = teamOf(({ port }) => port.close());
  for (const makeTeam of [undefined, nobody]) {
    await assert.rejects(
      workAhead(BATCHES, byLead, ignore, makeTeam, () => Promise.reject(new Error('cannot'))),
      /cannot/,
    );
    await assert.rejects(workAhead(BATCHES, fail, ignore, makeTeam, turn), /cannot/);
    await assert.rejects(workAhead(BATCHES, byLead, fail, makeTeam, turn), /cannot/);
  }
});

test('a helper that goes away in the middle is noticed, and its port is let go of', { timeout: 60_000 }, async () => {
  const left = Promise.withResolvers<undefined>();
  const leave = async (invitation: Invitation): Promise<void> => {
    const helper = new TeamHelper(invitation);
    await helper.join();
    const closed = once(invitation.port, 'close');
    helper.close();
    await closed;
    left.resolve(undefined);
  };
  const first = async (): Promise<void> => {
    await left.promise;
  };
  await assert.rejects(
    workAhead(
      BATCHES,
      byLead,
      ignore,
      teamOf((invitation) => void leave(invitation)),
      first,
    ),
    /the helper has gone/,
  );
});
