/** For unit tests alone: what the programs that administrators trust say, in UTC and without translations. */
import { execFileSync } from 'node:child_process';

export interface Asking {
  /** For standard input. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** What the program prints. Throws when it fails. */
export function printed(program: string, args: readonly string[], { input = '', env = {} }: Asking = {}): string {
  const whole = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C.UTF-8', TZ: 'UTC', ...env };
  return execFileSync(program, args, { encoding: 'utf8', env: whole, input, maxBuffer: 64 * 1024 * 1024 });
}
