/** What systemctl says about a job that it waited for: on standard error, in words that are stable across versions. Pure functions. */

/** How a job ended (job results of org.freedesktop.systemd1(5)). */
export type JobResult =
  'done' | 'failed' | 'canceled' | 'timeout' | 'dependency' | 'invalid' | 'assert' | 'unsupported' | 'collected' | 'once';

/** Lines of systemctl about the job of a unit that did not end well; the first that fits counts. */
const ENDINGS: readonly (readonly [RegExp, JobResult])[] = [
  [/^Job for .* canceled\.$/m, 'canceled'],
  [/^Job for .* timed out\.$/m, 'timeout'],
  [/^A dependency job for .* failed\./m, 'dependency'],
  [/^Assertion failed on job for /m, 'assert'],
  [/^Operation on or unit type of .* not supported on this system\.$/m, 'unsupported'],
  [/^Queued job for .* was garbage collected\.$/m, 'collected'],
  [/ is not active, cannot reload\.$/m, 'invalid'],
  [/^Unit .* was started already once and can't be started again\.$/m, 'once'],
  [/^Job for .* failed/m, 'failed'],
];

export interface JobReport {
  /** Number of the job that was asked for, where systemctl tells it. */
  readonly job: number | undefined;
  /** Undefined when no job was queued. */
  readonly result: JobResult | undefined;
  /** What systemctl said besides the numbers of jobs. */
  readonly words: string;
}

/** Reads what systemctl left: `status` is its exit status. */
export function jobReport(status: number | null, stderr: string): JobReport {
  const number = /^Enqueued anchor job (\d+) /m.exec(stderr)?.[1];
  const job = number === undefined ? undefined : Number(number);
  const words = stderr
    .split('\n')
    .filter((line) => !/^Enqueued (?:anchor|auxiliary) job \d+ /.test(line))
    .join('\n')
    .trim();
  if (status === 0) return { job, result: 'done', words };
  const ending = ENDINGS.find(([pattern]) => pattern.test(words))?.[1];
  return { job, result: ending ?? (job === undefined ? undefined : 'failed'), words };
}

/** True when systemd, or polkit for it, refused because of who asks. */
export function wasDenied(words: string): boolean {
  return /Access denied|Interactive authentication required|Permission denied|Authentication is required/.test(words);
}
