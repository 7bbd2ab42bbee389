/** Proves that batches which two members share come out in their order, whoever did them and whenever the second one comes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { helpInOrder, workInOrder } from './in-order.ts';
import { TeamHelper, TeamLead, type Invitation } from './team.ts';

const BATCHES = Array.from({ length: 200 }, (_, index) => [String(index), 'x']);

interface Part {
  readonly by: string;
  readonly batch: readonly string[];
}

const ignore = (): void => undefined;

/** Works through all batches in this thread; `invited` gets the invitation when the lead asks for help. */
async function workWith(invited: ((invitation: Invitation) => void) | undefined): Promise<Part[]> {
  const parts: Part[] = [];
  const hand = async (part: Part): Promise<void> => {
    parts.push(part);
    await turn(); // so that the other member has its turns
  };
  const makeTeam = invited === undefined ? undefined : (): TeamLead => new TeamLead(invited);
  await workInOrder(BATCHES, (batch): Part => ({ by: 'lead', batch }), hand, ignore, makeTeam);
  return parts;
}

const help = async (invitation: Invitation): Promise<void> => {
  const helper = new TeamHelper(invitation);
  await helpInOrder(helper, (batch): Part => ({ by: 'helper', batch }), ignore);
  helper.close();
};

const namesOf = (parts: readonly Part[]): unknown => parts.map(({ batch }) => batch);
const countOf = (parts: readonly Part[], who: string): number => parts.filter(({ by }) => by === who).length;

test('one alone', async () => {
  const parts = await workWith(undefined);
  assert.deepEqual(namesOf(parts), BATCHES);
  assert.equal(countOf(parts, 'lead'), BATCHES.length);
});

test('two share, and what they did is handed on in order', { timeout: 60_000 }, async () => {
  const helped = Promise.withResolvers<undefined>();
  const parts = await workWith((invitation) => helped.resolve(help(invitation).then(() => undefined)));
  await helped.promise;
  assert.deepEqual(namesOf(parts), BATCHES);
  assert.ok(countOf(parts, 'helper') > 0 && countOf(parts, 'lead') > 0);
});

test('an invitation that nobody accepts, and one that is accepted too late', { timeout: 60_000 }, async () => {
  let late: Invitation | undefined;
  for (const invited of [({ port }: Invitation) => port.close(), (invitation: Invitation) => void (late = invitation)]) {
    const parts = await workWith(invited);
    assert.deepEqual(namesOf(parts), BATCHES);
    assert.equal(countOf(parts, 'lead'), BATCHES.length);
  }
  assert.ok(late !== undefined);
  await help(late);
});

test('what either cannot do fails', { timeout: 60_000 }, async () => {
  const fail = (): never => {
    throw new Error('cannot');
  };
  await assert.rejects(workInOrder(BATCHES, fail, ignore, ignore, undefined), /cannot/);
  const gone = Promise.withResolvers<Invitation>();
  await assert.rejects(
    workInOrder(
      BATCHES,
      ([name]) => (name === '20' ? fail() : name),
      ignore,
      ignore,
      () => new TeamLead((invitation) => gone.resolve(invitation)),
    ),
    /cannot/,
  );
  (await gone.promise).port.close();
});

test('a helper that goes away in the middle is noticed', { timeout: 60_000 }, async () => {
  const leave = async (invitation: Invitation): Promise<void> => {
    const helper = new TeamHelper(invitation);
    await helper.join();
    helper.close();
  };
  await assert.rejects(
    workWith((invitation) => void leave(invitation)),
    /the helper has gone/,
  );
});
