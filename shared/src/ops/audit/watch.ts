/**
 * Streams the records of the audit log as they are written, one JSON line each, for a limited time: whoever goes on watching calls
 * again with the last number seen, and is judged again. Only the broker has them.
 */
import { StewardError } from '../../errors.ts';
import { operation } from '../operation.ts';

export interface AuditWatchArgs {
  /** How long to watch. */
  readonly seconds: number;
  /** Begin behind this record, as far as it is still held; default: with the next one. */
  readonly after?: number;
}

/** Seconds that one call may watch. */
export const MAX_WATCH_SECONDS = 600;

export const auditWatch = operation<AuditWatchArgs, { records: number }>({
  name: 'audit/watch',
  args: {
    type: 'object',
    properties: {
      seconds: { type: 'integer', minimum: 1, maximum: MAX_WATCH_SECONDS },
      after: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    },
    required: ['seconds'],
    additionalProperties: false,
  },
  kind: 'bytes',
  result: {
    type: 'object',
    properties: { records: { type: 'integer' } },
    required: ['records'],
    additionalProperties: false,
  },
  where: 'loop',
  async run({ seconds, after }, context) {
    const { broker, signal } = context;
    if (broker === undefined) throw new StewardError('broker_unavailable');
    const over = AbortSignal.timeout(seconds * 1000);
    let records = 0;
    for await (const { line } of broker.watch(after, AbortSignal.any([signal, over]))) {
      await context.write(Buffer.from(`${line}\n`));
      records += 1;
    }
    return { records };
  },
});
