/**
 * The configuration in force in this process, and the guard of the protected objects. What needs a restart stays as it was when
 * the process started, whatever the broker hands over later.
 */
import { diffDaemon } from '@steward/shared/config/daemon-diff.ts';
import type { DaemonConfig } from '@steward/shared/config/types.ts';
import type { Guard } from '@steward/shared/host/guard.ts';

export class Settings {
  readonly #listeners: ((config: DaemonConfig) => void)[] = [];
  #config: DaemonConfig;
  #guard: Guard;

  constructor(config: DaemonConfig, guard: Guard) {
    this.#config = config;
    this.#guard = guard;
  }

  /** Take it once per call: a call sees one configuration from its first check to its end. */
  get config(): DaemonConfig {
    return this.#config;
  }

  get guard(): Guard {
    return this.#guard;
  }

  /** Applies what can be applied to a running process. */
  apply(next: DaemonConfig): void {
    this.#config = diffDaemon(this.#config, next).applied;
    for (const listener of this.#listeners) listener(this.#config);
  }

  /** A new broker protects its own process too. */
  protect(guard: Guard): void {
    this.#guard = guard;
  }

  onChange(listener: (config: DaemonConfig) => void): void {
    this.#listeners.push(listener);
  }
}
