/**
 * What a reviewer wants to know of an audit log: counted while the records go by, in memory that does not grow with the log. Rows
 * that are shown one by one are the latest; how many there were is always counted.
 */
import type { AuditRecord } from '@steward/shared/audit/record.ts';

/** How a call ended, as the chart tells it apart. */
export type Ending = 'done' | 'failed' | 'refused';

export interface Row {
  readonly time: string;
  readonly user: string;
  readonly from: string;
  readonly op: string;
  readonly object: string;
  readonly code: string;
  /** What decided, or a sentence about it. */
  readonly why: string;
  readonly request: string;
}

/** The latest rows of one kind, and how many there were. */
export interface Rows {
  readonly total: number;
  readonly latest: readonly Row[];
}

export type Counts = Readonly<Record<Ending, number>>;

export interface Summary {
  /** Times of the first and the last record that were looked at; empty when there was none. */
  readonly first: string;
  readonly last: string;
  readonly records: number;
  readonly totals: Counts;
  readonly sessions: number;
  /** Calls that were refused, tokens that were refused, and breaches of the protocol. */
  readonly refusals: Rows;
  readonly calls: Rows;
  readonly users: readonly (readonly [string, Counts])[];
  readonly operations: readonly (readonly [string, Counts])[];
  /** Calls by minute since the epoch. */
  readonly minutes: readonly (readonly [number, Counts])[];
}

const MAX_ROWS = 1000;
/** Names that are counted one by one; a log cannot make a page endless. */
const MAX_NAMES = 500;
const MINUTE_MS = 60_000;

const NONE: Counts = { done: 0, failed: 0, refused: 0 };

class Latest {
  total = 0;
  readonly latest: Row[] = [];

  add(row: Row): void {
    this.total += 1;
    this.latest.push(row);
    if (this.latest.length > MAX_ROWS) this.latest.shift();
  }
}

class Tally<Key> {
  readonly #counts = new Map<Key, Counts>();
  readonly #most: number;
  readonly #other: Key;

  /** Beyond `most` keys everything counts for `other`. */
  constructor(most: number, other: Key) {
    this.#most = most;
    this.#other = other;
  }

  add(key: Key, ending: Ending): void {
    const known = this.#counts.has(key) || this.#counts.size < this.#most ? key : this.#other;
    const counts = this.#counts.get(known) ?? NONE;
    this.#counts.set(known, { ...counts, [ending]: counts[ending] + 1 });
  }

  entries(): [Key, Counts][] {
    return [...this.#counts];
  }
}

/** Calls that were answered with a refusal or an error, and those that ended well. */
function endingOf({ kind, code }: AuditRecord): Ending | undefined {
  if (kind === 'refusal' || kind === 'violation' || kind === 'session-refused') return 'refused';
  if (kind === 'aborted') return 'failed';
  if (kind !== 'outcome') return undefined;
  return code === 'OK' ? 'done' : 'failed';
}

function rowOf(record: AuditRecord): Row {
  const {
    time,
    user = '',
    token,
    address = '',
    client = '',
    op = '',
    object = '',
    kind,
    code,
    rule,
    detail,
    request = '',
  } = record;
  const named = op === '' ? kind : op;
  const who = token === undefined ? user : `${user}/${token}`;
  const why = [detail, rule].filter((text) => text !== undefined).join('; ');
  return {
    time,
    user: who,
    from: client === '' ? address : `${address} ${client}`,
    op: named,
    object,
    code: code ?? kind,
    why,
    request,
  };
}

const sum = ({ done, failed, refused }: Counts): number => done + failed + refused;

const byCount = (a: readonly [string, Counts], b: readonly [string, Counts]): number => sum(b[1]) - sum(a[1]);

/** Looks at every record once. */
export async function summarise(records: AsyncIterable<AuditRecord>): Promise<Summary> {
  const [refusals, calls] = [new Latest(), new Latest()];
  const [users, operations] = [new Tally(MAX_NAMES, '(others)'), new Tally(MAX_NAMES, '(others)')];
  const minutes = new Tally<number>(Infinity, 0);
  let [first, last, count, sessions, totals] = ['', '', 0, 0, NONE];
  for await (const record of records) {
    count += 1;
    if (first === '') first = record.time;
    last = record.time;
    if (record.kind === 'session') sessions += 1;
    const ending = endingOf(record);
    if (ending === undefined) continue;
    totals = { ...totals, [ending]: totals[ending] + 1 };
    (ending === 'refused' ? refusals : calls).add(rowOf(record));
    users.add(record.user ?? '(nobody)', ending);
    operations.add(record.op ?? `(${record.kind})`, ending);
    minutes.add(Math.floor(Date.parse(record.time) / MINUTE_MS), ending);
  }
  return {
    ...{ first, last, records: count, totals, sessions, refusals, calls },
    users: users.entries().sort(byCount),
    operations: operations.entries().sort(byCount),
    minutes: minutes
      .entries()
      .filter(([minute]) => Number.isFinite(minute))
      .sort(([a], [b]) => a - b),
  };
}
