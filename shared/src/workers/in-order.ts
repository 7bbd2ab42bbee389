/**
 * Two worker threads work through batches whose results are wanted in their order: the lead gives some to its helper, does the others
 * itself, and hands on what both made. Few results wait at a time, however many batches there are.
 */
import type { Piece, TeamHelper, TeamLead } from './team.ts';

/** Batches that the lead does alone before it asks for help: starting a thread costs more than a small directory. */
const ALONE = 16;
/** Batches that the helper has at a time: one at hand and the next, so that it need not wait for the lead. */
const GIVEN = 2;
/** Results of the lead's own that wait for an earlier one of the helper's. */
const WAITING = 4;

/** What is done with a batch. The result travels between threads: plain data. */
export type Work<Part> = (batch: Piece) => Part;

/**
 * Works through all batches; `hand` gets the result of each, in order. `look` throws when they are no longer wanted. `makeTeam` is called
 * when there are many; absent where nobody helps.
 */
export async function workInOrder<Part>(
  batches: Iterable<Piece>,
  work: Work<Part>,
  hand: (part: Part) => void | Promise<void>,
  look: () => void,
  makeTeam: (() => TeamLead) | undefined,
): Promise<void> {
  const shared = new SharedWork(hand, look);
  let done = 0;
  try {
    for (const batch of batches) {
      if (++done === ALONE && makeTeam !== undefined) shared.askForHelp(makeTeam());
      if (shared.givesAway(batch)) continue;
      const sent = shared.did(work(batch));
      if (sent !== undefined) await sent;
    }
    await shared.finish();
  } finally {
    shared.close();
  }
}

/** What is still to be handed on. */
class SharedWork<Part> {
  readonly #hand: (part: Part) => void | Promise<void>;
  readonly #look: () => void;
  #team: TeamLead | undefined;
  /** From the helper's first that is not here yet; undefined in the places of the helper's. */
  readonly #waiting: ({ readonly part: Part } | undefined)[] = [];

  constructor(hand: (part: Part) => void | Promise<void>, look: () => void) {
    this.#hand = hand;
    this.#look = look;
  }

  askForHelp(team: TeamLead): void {
    this.#team = team;
    team.askForHelp();
  }

  /** Gives a batch to the helper, if there is one and it has little left to do. */
  givesAway(batch: Piece): boolean {
    if (this.#team?.hasRoom(GIVEN) !== true) return false;
    this.#team.give(batch);
    this.#waiting.push(undefined);
    return true;
  }

  /** Takes a result of the lead's own. */
  did(part: Part): void | Promise<void> {
    if (this.#waiting.length === 0) return this.#hand(part);
    this.#waiting.push({ part });
    return this.#handOn();
  }

  /** Hands on everything, and ends the team. */
  async finish(): Promise<void> {
    while (this.#waiting.length > 0) await this.#handNext();
    if (this.#team === undefined) return;
    await this.#team.next();
    await Array.fromAsync(this.#team.reports());
  }

  close(): void {
    this.#team?.close();
  }

  /** Hands on what is ready; waits for the helper only when too much is waiting. */
  async #handOn(): Promise<void> {
    const waiting = this.#waiting;
    while (waiting.length > 0) {
      const isReady = waiting[0] !== undefined || this.#team?.hasPart === true;
      if (!isReady && waiting.length <= WAITING + GIVEN) return;
      await this.#handNext();
    }
  }

  async #handNext(): Promise<void> {
    const next = this.#waiting.shift();
    await this.#hand(next === undefined ? ((await this.#team?.takePart(this.#look)) as Part) : next.part);
  }
}

/** The helper's side: does what it is given, until the lead has no more. `look` throws when it is no longer wanted. */
export async function helpInOrder(team: TeamHelper, work: Work<unknown>, look: () => void): Promise<void> {
  for (let batch = await team.join(); batch !== undefined; batch = await team.next()) team.report(work(batch), look);
  if (team.isExpected) team.complete();
}
