/**
 * Re-reads the configuration and switches to it: this process and the frontend, or neither. The three files are judged here, the
 * frontend judges daemon.yaml once more, and only then does either of them change. One reload at a time.
 */
import { diffSnapshots, type SnapshotDiff } from '@steward/shared/config/diff.ts';
import { loadSnapshot } from '@steward/shared/config/load.ts';
import { ConfigError, type ConfigSnapshot } from '@steward/shared/config/types.ts';
import { StewardError } from '@steward/shared/errors.ts';
import { ProtocolError } from '@steward/shared/ipc/frames.ts';
import type { BrokerMessage, FrontendMessage, ReloadReport } from '@steward/shared/ipc/messages.ts';
import type { Recorder } from './dispatch.ts';
import { say } from './say.ts';
import type { Sessions } from './sessions.ts';

/** How long the frontend may take to judge a configuration. */
const ANSWER_MS = 5_000;

type Verdict = Extract<FrontendMessage, { type: 'accept' | 'reject' }>;

export interface ReloaderParts {
  readonly sessions: Sessions;
  readonly audit: Recorder;
  readonly tableDigest: string;
  send(message: BrokerMessage): boolean;
  /** For tests; default reads the directory of the configuration in force. */
  readonly load?: (directory: string) => ConfigSnapshot;
}

export class Reloader {
  readonly #parts: ReloaderParts;
  #current: ConfigSnapshot;
  #generation = 0;
  #proposal: PromiseWithResolvers<Verdict> | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #signalled = false;

  constructor(current: ConfigSnapshot, parts: ReloaderParts) {
    this.#current = current;
    this.#parts = parts;
  }

  /** The configuration in force. */
  get current(): ConfigSnapshot {
    return this.#current;
  }

  /** Reloads after every reload asked for earlier, as part of a request. Rejects with `reload_failed` or `audit_unavailable`; then nothing has changed. */
  reload(dryRun: boolean, request: string): Promise<ReloadReport> {
    return this.#inTurn(() => this.#reload(dryRun, { request }));
  }

  #inTurn(work: () => Promise<ReloadReport>): Promise<ReloadReport> {
    const mine = this.#turn.then(work);
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  /** Reloads because a signal came; whoever sent it reads the journal. Signals that come before it has begun are one. */
  async reloadOnSignal(): Promise<void> {
    if (this.#signalled) return;
    this.#signalled = true;
    try {
      const report = await this.#inTurn(() => {
        this.#signalled = false;
        return this.#reload(false);
      });
      say(`reloaded ${report.files.join(', ')}: ${report.changes.length} change(s), ${report.closed_sessions} session(s) closed`);
      for (const line of report.needs_restart) say(`needs a restart: ${line}`);
    } catch (error) {
      say(error instanceof StewardError ? error.message : `reload failed: ${String(error)}`);
    }
  }

  /** The frontend's answer to a proposal. An answer that comes too late is ignored. */
  answer(verdict: Verdict): void {
    if (verdict.generation > this.#generation) throw new ProtocolError(`generation ${verdict.generation} was never proposed`);
    if (verdict.generation === this.#generation) this.#proposal?.resolve(verdict);
  }

  async #reload(dryRun: boolean, cause: { readonly request?: string } = {}): Promise<ReloadReport> {
    const generation = (this.#generation += 1);
    const { sessions } = this.#parts;
    try {
      const next = this.#load();
      const diff = diffSnapshots(this.#current, next);
      const report: ReloadReport = {
        files: next.files,
        changes: diff.changes,
        closed_sessions: sessions.countOf(diff.closed),
        needs_restart: diff.needsRestart,
      };
      if (dryRun) return report;
      await this.#propose(generation, next);
      await this.#record(diff, next, cause);
      this.#current = diff.applied;
      sessions.closeTokens(diff.closed);
      this.#parts.send({ type: 'commit', generation, closed: diff.closed, report });
      return report;
    } catch (error) {
      if (!dryRun) this.#parts.send({ type: 'abandon', generation, reason: reasonOfFailure(error) });
      throw error;
    }
  }

  #load(): ConfigSnapshot {
    try {
      return (this.#parts.load ?? loadSnapshot)(this.#current.directory);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      throw new StewardError('reload_failed', { reason: error.message });
    }
  }

  async #propose(generation: number, next: ConfigSnapshot): Promise<void> {
    const proposal = Promise.withResolvers<Verdict>();
    const late: Verdict = { type: 'reject', generation, reason: 'the frontend did not answer' };
    const timer = setTimeout(() => proposal.resolve(late), ANSWER_MS);
    this.#proposal = proposal;
    try {
      const { daemonText: text, files } = next;
      if (!this.#parts.send({ type: 'propose', generation, text, file: files[0] })) {
        throw new StewardError('reload_failed', { reason: `${files[0]}:1: too large to be handed to the frontend` });
      }
      const verdict = await proposal.promise;
      if (verdict.type === 'reject') throw new StewardError('reload_failed', { reason: verdict.reason });
    } finally {
      clearTimeout(timer);
      this.#proposal = undefined;
    }
  }

  /** On record before it is in force, like every other effect. */
  async #record({ changes, closed }: SnapshotDiff, next: ConfigSnapshot, cause: object): Promise<void> {
    const detail = `${changes.length} change(s), tokens withdrawn: ${closed.length}`;
    const digests = { table: this.#parts.tableDigest, grants: next.grantsDigest };
    const args = { changes: changes.slice(0, 1000) };
    await this.#parts.audit.append({ kind: 'reload', ...cause, code: 'OK', args, detail, ...digests });
  }
}

const reasonOfFailure = (error: unknown): string => {
  if (!(error instanceof StewardError)) return 'internal error';
  return String(error.params['reason'] ?? error.message);
};
