/** A login as it is told, whatever file it comes from. */

/** `open`: still there. `down`: ended by a shutdown. `crash`: the host went down without one. `failed`: no login came of it. */
export const LOGIN_STATES = ['closed', 'open', 'down', 'crash', 'failed', 'boot'] as const;
export type LoginState = (typeof LOGIN_STATES)[number];

/** Times are seconds since 1970. */
export interface Login {
  readonly user: string;
  readonly tty: string;
  readonly host: string;
  readonly login: number;
  /** Undefined when there was none, or when nobody knows. */
  readonly logout: number | undefined;
  readonly state: LoginState;
}

/** How boots are called, by last(1) as well. */
export const BOOT_USER = 'reboot';
export const BOOT_TTY = 'system boot';
