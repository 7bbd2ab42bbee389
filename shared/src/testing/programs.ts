/** For unit tests alone: the programs that administrators trust, to compare with. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Why a test that compares with a program is left out, or false. */
export function without(...programs: readonly string[]): string | false {
  const missing = programs.find((name) => !['/usr/bin', '/usr/sbin', '/bin', '/sbin'].some((at) => existsSync(`${at}/${name}`)));
  return missing === undefined ? false : `${missing} is not installed`;
}

/** What a program prints. Its exit status does not matter: du(1) and others fail when they could not read everything. */
export function outputOf(program: string, ...args: readonly string[]): string {
  try {
    const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C.UTF-8' };
    return execFileSync(program, args, {
      encoding: 'utf8',
      env,
      maxBuffer: 256 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch (error) {
    const { stdout } = error as { stdout?: string };
    if (stdout === undefined) throw error;
    return stdout;
  }
}
