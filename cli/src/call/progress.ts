/**
 * Shows on a terminal that a call is still at work: one line that is drawn again and again, and gone before anything else is
 * written. How much there will be is not known beforehand, so the bar moves instead of filling.
 */
import type { Progress } from '../client/target.ts';
import type { Output } from '../io.ts';
import { cutTo } from '../render/width.ts';
import { oneCell } from '../safety.ts';

/** Shorter calls show nothing. */
const AFTER_MS = 500;
const EVERY_MS = 100;
const BAR = 12;
const BLOCK = 3;

/** To the beginning of the line, and clear from there to the end of the screen: a narrower terminal may have wrapped it. */
const CLEAR = '\r\u001b[J';

/** The bar at one step: a block that goes to and fro. */
export function barAt(step: number): string {
  const way = BAR - BLOCK;
  const turn = step % (2 * way);
  const at = turn <= way ? turn : 2 * way - turn;
  return `[${' '.repeat(at)}${'='.repeat(BLOCK)}${' '.repeat(way - at)}]`;
}

export class ProgressLine {
  readonly #out: Output;
  readonly #began = performance.now();
  #timer: NodeJS.Timeout;
  #step = 0;
  #notice: Progress | undefined;
  #shown = false;

  constructor(out: Output) {
    this.#out = out;
    this.#timer = setTimeout(() => this.#start(), AFTER_MS);
    this.#timer.unref();
  }

  readonly update = (notice: Progress): void => {
    this.#notice = notice;
  };

  #start(): void {
    this.#draw();
    this.#timer = setInterval(() => this.#draw(), EVERY_MS);
    this.#timer.unref();
  }

  #draw(): void {
    const seconds = Math.round((performance.now() - this.#began) / 1000);
    const { progress, message } = this.#notice ?? { progress: 0, message: '' };
    const count = progress > 0 ? ` ${progress}` : '';
    const text = `${barAt(this.#step++)} ${seconds} s${count}${message === '' ? '' : ` ${oneCell(message)}`}`;
    // The last column stays free: some terminals wrap when it is filled.
    this.#out.write(`${CLEAR}${cutTo(text, (this.#out.columns ?? 80) - 1)}`);
    this.#shown = true;
  }

  /** Takes the line away. */
  end(): void {
    clearTimeout(this.#timer);
    if (this.#shown) this.#out.write(CLEAR);
    this.#shown = false;
  }
}

/** Runs a call under a progress line, where standard error is a terminal. */
export async function underProgress<T>(out: Output, work: (update?: (notice: Progress) => void) => Promise<T>): Promise<T> {
  if (out.isTTY !== true) return work();
  const line = new ProgressLine(out);
  try {
    return await work(line.update);
  } finally {
    line.end();
  }
}
