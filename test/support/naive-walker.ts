/**
 * What the walk of a path would be if it were written as it usually is: every component is looked at, symbolic links are refused,
 * and what was found good is used by its name. Exists to be breached by the races that the real one survives. Test only.
 */
import { chmodSync, chownSync, lstatSync, readFileSync, writeFileSync } from 'node:fs';

/** Throws for a path with a symbolic link in it; looks from the root down. */
function check(path: string): void {
  const names = path.split('/').filter((name) => name !== '');
  names.forEach((_name, index) => {
    const place = `/${names.slice(0, index + 1).join('/')}`;
    if (lstatSync(place).isSymbolicLink()) throw new Error(`refusing to follow a symbolic link: ${place}`);
  });
}

/** Checks, then acts on the same path. Everything throws what the file system throws. */
export const naive = {
  read(path: string): string {
    check(path);
    return readFileSync(path, 'latin1');
  },
  write(path: string, content: string): void {
    check(path);
    writeFileSync(path, content);
  },
  chmod(path: string, mode: number): void {
    check(path);
    chmodSync(path, mode);
  },
  chown(path: string, uid: number, gid: number): void {
    check(path);
    chownSync(path, uid, gid);
  },
};
