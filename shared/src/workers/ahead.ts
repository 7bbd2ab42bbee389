/**
 * Work that a second thread begins while the first has something else to do; what is left then is shared by both. For a few batches,
 * each with one result.
 */
import type { Work } from './in-order.ts';
import type { Piece, TeamLead } from './team.ts';

/** Fewer batches are done by the lead alone: waking a thread, or starting it, costs more. */
const MANY = 8;
/** Batches that the helper is given at once: so many results may be under way. */
const AHEAD = 4;
/** Batches that the helper has at a time afterwards. */
const GIVEN = 2;

/**
 * What the lead did first (`own`), and the results of all batches in their order. `look` throws when they are no longer wanted. The helper
 * works with `helpInOrder`. `makeTeam` is called when there are many; absent where nobody helps.
 */
export async function workAhead<Own, Part>(
  batches: readonly Piece[],
  work: Work<Part>,
  look: () => void,
  makeTeam: (() => TeamLead) | undefined,
  first: () => Promise<Own>,
): Promise<{ own: Own; parts: readonly Part[] }> {
  const team = batches.length < MANY ? undefined : makeTeam?.();
  if (team === undefined) {
    const own = await first();
    return { own, parts: doAll(batches, work, look) };
  }
  try {
    const shared = new Shared<Part>(team, batches);
    const own = await first();
    await shared.doRest(work, look);
    return { own, parts: shared.parts };
  } finally {
    team.close();
  }
}

function doAll<Part>(batches: readonly Piece[], work: Work<Part>, look: () => void): Part[] {
  return batches.map((batch) => {
    look();
    return work(batch);
  });
}

class Shared<Part> {
  readonly parts: Part[] = [];
  readonly #team: TeamLead;
  readonly #batches: readonly Piece[];
  #next = 0;
  /** Numbers of the batches that the helper has and whose results are not here yet. */
  readonly #given: number[] = [];

  constructor(team: TeamLead, batches: readonly Piece[]) {
    this.#team = team;
    this.#batches = batches;
    team.askForHelp();
    while (this.#next < AHEAD) this.#give();
  }

  #give(): void {
    this.#team.give(this.#batches[this.#next] ?? []);
    this.#given.push(this.#next++);
  }

  async doRest(work: Work<Part>, look: () => void): Promise<void> {
    while (this.#next < this.#batches.length) {
      look();
      while (this.#team.hasPart) await this.#takePart(look);
      if (this.#team.hasRoom(GIVEN)) this.#give();
      else this.#do(this.#next++, work);
    }
    if (this.#team.isAlone()) {
      for (const number of this.#given) {
        look();
        this.#do(number, work);
      }
      return;
    }
    while (this.#given.length > 0) await this.#takePart(look);
    await this.#team.next();
    await Array.fromAsync(this.#team.reports());
  }

  #do(number: number, work: Work<Part>): void {
    this.parts[number] = work(this.#batches[number] ?? []);
  }

  async #takePart(look: () => void): Promise<void> {
    const part = (await this.#team.takePart(look)) as Part;
    const number = this.#given.shift();
    if (number !== undefined) this.parts[number] = part;
  }
}
