/**
 * Mounted file systems from mountinfo (proc_pid_mountinfo(5)). What is in it was partly chosen by whoever mounted, so a line that
 * does not fit is left out and names stay bytes until they are shown. Blocks for a moment: for files of the kernel only.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf, systemError } from '../errors.ts';

/** One mount. Names are byte strings. */
export interface Mount {
  /** st_dev of the file system as `major:minor`; major 0 for those without a block device, and for btrfs. */
  readonly device: string;
  readonly mountPoint: string;
  readonly fsType: string;
  /** What was mounted, for instance `/dev/sda1`, as the kernel was told. */
  readonly source: string;
  /** Options of the mount and of the file system together, `ro` or `rw` first. */
  readonly options: string;
}

/** Init's view is that of the host; a sandboxed service's own one has extra binds. */
const VIEWS = ['/proc/1/mountinfo', '/proc/self/mountinfo'];

/** All mounts in the kernel's order. Throws `read_system`. */
export function readMounts(root: string): Mount[] {
  let failure: unknown;
  for (const path of VIEWS) {
    try {
      return parseMountinfo(readFileSync(join(root, path), 'latin1'));
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      failure = systemError('read_system', { path }, error);
    }
  }
  throw failure;
}

/** Parses mountinfo; `text` is a byte string. */
export function parseMountinfo(text: string): Mount[] {
  return text.split('\n').flatMap((line) => {
    // ID PARENT MAJOR:MINOR ROOT MOUNT-POINT OPTIONS OPTIONAL... - TYPE SOURCE SUPER-OPTIONS
    const [before, after] = splitOnce(line, ' - ');
    const [, , device, , mountPoint, options] = before.split(' ');
    const [fsType, source, superOptions = ''] = (after ?? '').split(' ');
    if (device === undefined || mountPoint === undefined || options === undefined) return [];
    if (fsType === undefined || source === undefined) return [];
    return [
      {
        device,
        mountPoint: unescapeOctal(mountPoint),
        fsType: unescapeOctal(fsType),
        source: unescapeOctal(source),
        options: mergeOptions(options, unescapeOctal(superOptions)),
      },
    ];
  });
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + separator.length)];
}

/** Blanks, tabs, newlines, backslashes and `#` are written as three octal digits. */
export function unescapeOctal(text: string): string {
  return text.replace(/\\([0-3][0-7]{2})/g, (_escape, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}

/** One list of both, as findmnt(8) makes it: read-only when either is. */
function mergeOptions(mount: string, superBlock: string): string {
  if (superBlock === '' || superBlock === mount) return mount;
  const options = [...mount.split(','), ...superBlock.split(',')].filter((option) => option !== '');
  const access = options.includes('ro') ? 'ro' : 'rw';
  return [access, ...options.filter((option) => option !== 'ro' && option !== 'rw')].join(',');
}
