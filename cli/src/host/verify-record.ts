/** stewardctl verify: is the table that the installed broker enforces the one that this program knows, and is the audit log whole? */
import { verifyAudit } from '@steward/shared/audit/verify.ts';
import { errnoOf, reasonOf } from '@steward/shared/errors.ts';
import { TABLE_DIGEST } from '@steward/shared/generated/table.ts';
import { oneLine } from '../safety.ts';
import type { Finding } from './verify-finding.ts';

/** `printed`: what the broker's program says about its table, as JSON. `frontend`: the frontend's program, as text. */
export function checkTable(printed: string, frontend: string): Finding {
  const { digest } = JSON.parse(printed) as { digest?: unknown };
  const wrong: string[] = [];
  if (digest !== TABLE_DIGEST) wrong.push(`broker.js has the table ${String(digest)}, stewardctl.js ${TABLE_DIGEST}`);
  if (!frontend.includes(TABLE_DIGEST)) wrong.push(`frontend.js was not built with the table ${TABLE_DIGEST}`);
  return { holds: `broker, frontend and stewardctl have the table ${TABLE_DIGEST.slice(0, 16)}...`, wrong };
}

/** Chain and seals from the oldest segment that is there to the newest, with the key beside the log. `now` in milliseconds. */
export async function checkAudit(directory: string, now: number = Date.now()): Promise<Finding> {
  try {
    const { state, keyed, firstBad, message } = await verifyAudit(directory, { now });
    const place = firstBad === undefined ? '' : `${firstBad}: `;
    if (state !== 'good') return { holds: '', wrong: [oneLine(`${directory}: ${state}: ${place}${message}`)] };
    return { holds: oneLine(message), wrong: keyed ? [] : [`${directory}: there is no seal.pub to verify its seals with`] };
  } catch (error) {
    if (!(error instanceof SyntaxError) && errnoOf(error) === undefined) throw error;
    return { holds: '', wrong: [`${directory}: ${error instanceof SyntaxError ? error.message : reasonOf(error)}`] };
  }
}
