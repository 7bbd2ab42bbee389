/**
 * What a monitoring system may know of the frontend: counts and times, by tool and kind of outcome. Trusted with leaving out
 * everything that says who called or on what: no user, no address, no path, no argument is ever a label.
 *
 * Names follow Prometheus' conventions: base units, `_total` for what only grows.
 */
import Counter from 'prom-client/lib/counter.js';
import Gauge from 'prom-client/lib/gauge.js';
import Histogram from 'prom-client/lib/histogram.js';
import eventLoopLag from 'prom-client/lib/metrics/eventLoopLag.js';
import memory from 'prom-client/lib/metrics/osMemoryHeap.js';
import openDescriptors from 'prom-client/lib/metrics/processOpenFileDescriptors.js';
import startTime from 'prom-client/lib/metrics/processStartTime.js';
import Registry from 'prom-client/lib/registry.js';
import type { ErrorKey } from '@steward/shared/errors.ts';
import { VERSION } from '../version.ts';

/** Where a call's work was done. */
export type Side = 'local' | 'root';

/** What is read when somebody asks, instead of being counted as it happens. */
export interface Readings {
  /** Sessions that are open. */
  readonly sessions: () => number;
  readonly brokerConnected: () => boolean;
  /** Privileged calls that the broker works on, and that wait for their turn. */
  readonly brokerCalls: () => { readonly running: number; readonly waiting: number };
}

/** Upper bounds in seconds: from a reading of /proc to the longest time limit. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 600];

export class Metrics {
  readonly #registry = new Registry();
  readonly #calls: Counter<'tool' | 'side' | 'outcome'>;
  readonly #refusals: Counter<'reason'>;
  readonly #durations: Histogram<'side'>;
  readonly #requests: Counter<'status'>;
  readonly #recorded: Histogram;
  #counting = false;

  constructor(readings: Readings) {
    const registers = [this.#registry];
    this.#calls = new Counter({
      name: 'steward_calls_total',
      help: 'Tool calls that were answered, by where the work was done and how they ended.',
      labelNames: ['tool', 'side', 'outcome'],
      registers,
    });
    this.#refusals = new Counter({
      name: 'steward_failed_calls_total',
      help: 'Tool calls that were refused or failed, by the reason as the error registry names it.',
      labelNames: ['reason'],
      registers,
    });
    this.#durations = new Histogram({
      name: 'steward_call_duration_seconds',
      help: 'Time from a tool call to its answer, without sending it.',
      labelNames: ['side'],
      buckets: SECONDS,
      registers,
    });
    this.#requests = new Counter({
      name: 'steward_http_requests_total',
      help: 'HTTP requests that ended, by status; 0: the client left before one was sent.',
      labelNames: ['status'],
      registers,
    });
    this.#recorded = new Histogram({
      name: 'steward_audit_record_seconds',
      help: 'Time until the record of a privileged call was durable, before its effect.',
      buckets: SECONDS.slice(0, 12),
      registers,
    });
    this.#read(readings);
  }

  /**
   * Begins to count, and adds the customary figures of a process under the names that dashboards know. Only where somebody can
   * ask: counting costs every call something, and measuring the event loop wakes an idle process.
   */
  begin(): void {
    this.#counting = true;
    for (const collect of [memory, openDescriptors, startTime, eventLoopLag]) collect(this.#registry);
    new Counter({
      name: 'process_cpu_seconds_total',
      help: 'Total user and system CPU time spent in seconds.',
      registers: [this.#registry],
      collect() {
        const { user, system } = process.cpuUsage();
        this.reset();
        this.inc((user + system) / 1e6);
      },
    });
  }

  /** A tool call was answered. `error`: the key of what it was refused or failed with. */
  called(tool: string, side: Side, seconds: number, error: ErrorKey | undefined): void {
    if (!this.#counting) return;
    this.#calls.inc({ tool, side, outcome: error === undefined ? 'ok' : 'error' });
    this.#durations.observe({ side }, seconds);
    if (error !== undefined) this.#refusals.inc({ reason: error });
  }

  requested(status: number): void {
    if (this.#counting) this.#requests.inc({ status: String(status) });
  }

  /** The broker made a record durable in so many milliseconds. */
  recorded(milliseconds: number): void {
    if (this.#counting) this.#recorded.observe(milliseconds / 1000);
  }

  /** The text for Prometheus, exposition format 0.0.4, and its content type. */
  async text(): Promise<{ readonly body: string; readonly type: string }> {
    return { body: await this.#registry.metrics(), type: this.#registry.contentType };
  }

  #read({ sessions, brokerConnected, brokerCalls }: Readings): void {
    const gauge = (name: string, help: string, value: () => number): Gauge =>
      new Gauge({
        name,
        help,
        registers: [this.#registry],
        collect() {
          this.set(value());
        },
      });
    gauge('steward_sessions', 'Sessions and streams that are open.', sessions);
    gauge('steward_broker_connected', '1 while the broker can be asked.', () => (brokerConnected() ? 1 : 0));
    gauge('steward_broker_calls_running', 'Privileged calls that the broker works on.', () => brokerCalls().running);
    gauge('steward_broker_calls_waiting', 'Privileged calls that wait for their turn.', () => brokerCalls().waiting);
    new Gauge({
      name: 'steward_build_info',
      help: 'Always 1; the version is the label.',
      labelNames: ['version'],
      registers: [this.#registry],
    }).set({ version: VERSION }, 1);
  }
}
