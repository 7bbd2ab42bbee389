/**
 * Two worker threads of one process that share a scan: whoever has nothing left to do is given directories by the other. They talk
 * over a port and a few shared words; what they exchange are names below the start (or a piece of another work, as text), which each
 * reaches for itself, so that neither ever closes a descriptor that the other uses.
 */
import { availableParallelism } from 'node:os';
import { MessageChannel, type MessagePort } from 'node:worker_threads';

/** For work that is all the processor's: on one, a second thread would only take its turns from the first. */
export const MAY_SHARE = availableParallelism() > 1;

/** Words of the shared memory. Members still at work, pieces on their way counted as work. */
const BUSY = 0;
/** One for each member, 1 while it waits for work. */
const WAITS = 1;
/** Whether the second member has joined, or came too late. */
const JOINED = 3;
/** Parts of a report that the lead has not taken yet. */
const UNTAKEN = 4;
const WORDS = 5;

const OPEN = 0;
const TAKEN = 1;
const CLOSED = 2;

/** The lead does this many pieces alone before it asks for help: starting a thread costs more than a small tree. */
const ALONE = 256;
/** Parts of a report that may be under way. */
const WINDOW = 4;
/** Milliseconds between two looks at the signal while the lead is slow to take a report. */
const LOOK_MS = 50;

/** A directory by the names that lead to it from the start; byte strings. */
export type Piece = readonly string[];

/** What the second member needs to take part. */
export interface Invitation {
  readonly port: MessagePort;
  readonly shared: SharedArrayBuffer;
}

type Message =
  | { readonly type: 'piece'; readonly piece: Piece }
  | { readonly type: 'end' }
  | { readonly type: 'part'; readonly part: unknown }
  | { readonly type: 'complete' };

/** A member of a team as the scan sees it. */
export class TeamMember {
  protected readonly words: Int32Array;
  readonly #port: MessagePort;
  readonly #self: 0 | 1;
  readonly #inbox: Message[] = [];
  #wake: (() => void) | undefined;

  protected constructor(invitation: Invitation, self: 0 | 1) {
    this.words = new Int32Array(invitation.shared);
    this.#port = invitation.port;
    this.#self = self;
    this.#port.on('message', (message: Message) => this.#put(message));
    // the other has gone: there is nothing more to come
    this.#port.once('close', () => this.#put({ type: 'end' }));
  }

  #put(message: Message): void {
    this.#inbox.push(message);
    this.#wake?.();
  }

  /** Whether the other waits for work; to be asked often. */
  get isAsked(): boolean {
    return Atomics.load(this.words, WAITS + 1 - this.#self) === 1;
  }

  /** Gives a directory with everything below it to the other, who waits for it. */
  give(piece: Piece): void {
    Atomics.store(this.words, WAITS + 1 - this.#self, 0);
    Atomics.add(this.words, BUSY, 1);
    this.send({ type: 'piece', piece });
  }

  /** Says that the piece before is done, and waits for the next; undefined when nobody has any left. */
  async next(): Promise<Piece | undefined> {
    if (Atomics.sub(this.words, BUSY, 1) === 1) {
      this.send({ type: 'end' });
      return undefined;
    }
    return this.awaitPiece();
  }

  protected async awaitPiece(): Promise<Piece | undefined> {
    Atomics.store(this.words, WAITS + this.#self, 1);
    const message = await this.receive();
    return message.type === 'piece' ? message.piece : undefined;
  }

  protected send(message: Message): void {
    this.#port.postMessage(message);
  }

  protected async receive(): Promise<Message> {
    for (;;) {
      const message = this.#inbox.shift();
      if (message !== undefined) return message;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** Lets go of the port. */
  close(): void {
    this.#port.close();
  }
}

/** The member that has the job. Its helper is asked for when there is enough to do. */
export class TeamLead extends TeamMember {
  readonly #invite: (invitation: Invitation) => void;
  readonly #invitation: Invitation;
  #asked = 0;
  #hasInvited = false;
  /** Pieces whose parts of the report have not been taken. */
  #pending = 0;

  /** `invite` hands the invitation to another thread; nobody needs to accept it. */
  constructor(invite: (invitation: Invitation) => void) {
    const { port1, port2 } = new MessageChannel();
    const shared = new SharedArrayBuffer(WORDS * Int32Array.BYTES_PER_ELEMENT);
    super({ port: port1, shared }, 0);
    this.words[BUSY] = 1;
    this.#invite = invite;
    this.#invitation = { port: port2, shared };
  }

  override get isAsked(): boolean {
    if (++this.#asked === ALONE) this.askForHelp();
    return super.isAsked;
  }

  /** Asks for a helper at once. */
  askForHelp(): void {
    if (!this.#hasInvited) this.#invite(this.#invitation);
    this.#hasInvited = true;
  }

  /** Where each piece is answered by one part: whether there is a helper with less than so many pieces left to do. */
  hasRoom(pieces: number): boolean {
    return Atomics.load(this.words, JOINED) === TAKEN && this.#pending - Atomics.load(this.words, UNTAKEN) < pieces;
  }

  /** Whether a part has been sent that was not taken yet. */
  get hasPart(): boolean {
    return Atomics.load(this.words, UNTAKEN) > 0;
  }

  /** Whether nobody has joined; from here on nobody does any more. */
  isAlone(): boolean {
    return Atomics.compareExchange(this.words, JOINED, OPEN, CLOSED) !== TAKEN;
  }

  override give(piece: Piece): void {
    this.#pending++;
    super.give(piece);
  }

  /** The next part; waits for it. Parts come in the order of the pieces. `look` throws when they are no longer wanted, and no more come. */
  async takePart(look: () => void): Promise<unknown> {
    const message = await this.receive();
    if (message.type !== 'part') {
      look();
      throw new Error('the helper has gone');
    }
    this.#take();
    return message.part;
  }

  #take(): void {
    this.#pending--;
    Atomics.sub(this.words, UNTAKEN, 1);
    Atomics.notify(this.words, UNTAKEN);
  }

  /** What the helper has to say when all is done, part by part; nothing when there was no helper. Closes the team. */
  async *reports(): AsyncGenerator {
    if (this.isAlone()) return;
    for (;;) {
      const message = await this.receive();
      if (message.type === 'complete') return;
      if (message.type !== 'part') continue;
      yield message.part;
      this.#take();
    }
  }

  /** Lets go of both ports. */
  override close(): void {
    super.close();
    if (!this.#hasInvited) this.#invitation.port.close();
  }
}

/** The member that helps. */
export class TeamHelper extends TeamMember {
  constructor(invitation: Invitation) {
    super(invitation, 1);
  }

  /** The first piece; undefined when there is none any more. */
  join(): Promise<Piece | undefined> {
    if (Atomics.compareExchange(this.words, JOINED, OPEN, TAKEN) !== OPEN) return Promise.resolve(undefined);
    return this.awaitPiece();
  }

  /** Whether the lead waits for a report. */
  get isExpected(): boolean {
    return Atomics.load(this.words, JOINED) === TAKEN;
  }

  /** Sends a part of the report, when there are no more pieces; blocks while the lead has enough of them. `look` throws when it is no longer wanted. */
  report(part: unknown, look: () => void): void {
    for (let untaken = Atomics.load(this.words, UNTAKEN); untaken >= WINDOW; untaken = Atomics.load(this.words, UNTAKEN)) {
      look();
      Atomics.wait(this.words, UNTAKEN, untaken, LOOK_MS);
    }
    Atomics.add(this.words, UNTAKEN, 1);
    this.send({ type: 'part', part });
  }

  /** Ends the report. */
  complete(): void {
    this.send({ type: 'complete' });
  }
}
