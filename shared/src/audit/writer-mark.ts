/**
 * The mark of the process that writes an audit log: a second writer would break the chain of the first, and neither would notice.
 * It is against accidents (a pair that is started twice), not against somebody who may write to the directory: that is root.
 */
import { mkdirSync, readlinkSync, symlinkSync, unlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { errnoOf, StewardError } from '../errors.ts';
import { readProcessStat } from '../host/processes.ts';

/**
 * A symbolic link, because it is made with its content or not at all; it leads nowhere. In a directory of its own, because from
 * one that may only grow (`chattr +a`, as the log's may be) nothing can be taken away.
 */
const [FOLDER, NAME] = ['lock', 'lock/writer'];
/** How long a broker may take to leave when the next one is there already. */
const PATIENCE_MS = 1000;
const PAUSE_MS = 50;

/** `<pid>-<start>`, which names one process for good; undefined when it has ended. */
function nameOf(pid: number): string | undefined {
  const stat = readProcessStat('/', `/proc/${String(pid)}`);
  return stat === undefined || stat.state === 'Z' || stat.state === 'X' ? undefined : `${String(pid)}-${stat.started}`;
}

/** The other process that writes the log in this directory, if one does. */
export function writerOf(directory: string): number | undefined {
  try {
    const mark = readlinkSync(`${directory}/${NAME}`);
    const pid = Number.parseInt(mark, 10);
    return pid !== process.pid && nameOf(pid) === mark ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** Puts this process's mark into the directory. Throws `audit_unavailable` while another process writes there. */
export async function markWriter(directory: string, shown: string): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  for (let other = writerOf(directory); other !== undefined; other = writerOf(directory)) {
    if (performance.now() > end) {
      throw new StewardError('audit_unavailable', { reason: `${shown} is being written by process ${String(other)}` });
    }
    await sleep(PAUSE_MS);
  }
  unmarkWriter(directory);
  try {
    mkdirSync(`${directory}/${FOLDER}`, { recursive: true, mode: 0o700 });
    symlinkSync(nameOf(process.pid) ?? '', `${directory}/${NAME}`);
  } catch (error) {
    // Somebody was quicker. Any other failure is that of a disk on which no record can be written either.
    if (errnoOf(error) === 'EEXIST') return markWriter(directory, shown);
  }
}

/** Takes the mark away. */
export function unmarkWriter(directory: string): void {
  try {
    unlinkSync(`${directory}/${NAME}`);
  } catch {
    return; // there is none
  }
}
