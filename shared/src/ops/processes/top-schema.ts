/** Arguments and results of processes/top, as data. */

export const topArgs = {
  type: 'object',
  properties: {
    interval_ms: { type: 'integer', default: 1000, description: '100..10000' },
    sort_by: { type: 'string', enum: ['cpu', 'mem', 'res', 'time', 'pid'], default: 'cpu' },
    user: { type: 'string', maxLength: 255, description: 'exact account' },
    limit: { type: 'integer', minimum: 0, description: '0=none' },
  },
  required: [],
  additionalProperties: false,
} as const;

const text = { type: 'string' } as const;
const amount = { type: 'number', minimum: 0 } as const;
const count = { type: 'integer', minimum: 0 } as const;

export const topRecord = {
  type: 'object',
  properties: {
    pid: count,
    /** Of the real uid. */
    user: text,
    /** Priority as the scheduler has it; `rt` for the highest. */
    pr: text,
    ni: { type: 'integer' },
    virt_bytes: count,
    res_bytes: count,
    shr_bytes: count,
    /** State. */
    s: text,
    /** Of one processor. */
    cpu_percent: amount,
    mem_percent: amount,
    /** Processor time used, `m:ss.cc`. */
    time_plus: text,
    command: text,
    cmdline: text,
    ppid: count,
    threads: count,
  },
  // prettier-ignore
  required: [
    'pid', 'user', 'pr', 'ni', 'virt_bytes', 'res_bytes', 'shr_bytes', 's', 'cpu_percent', 'mem_percent', 'time_plus', 'command',
    'cmdline', 'ppid', 'threads',
  ],
  additionalProperties: false,
} as const;

const tasks = { total: count, running: count, sleeping: count, stopped: count, zombie: count };
const cpu = { us: amount, sy: amount, ni: amount, id: amount, wa: amount, hi: amount, si: amount, st: amount };
const memory = { total: count, free: count, used: count, buff_cache: count };
const swap = { total: count, free: count, used: count, avail_mem: count };

export const topResult = {
  type: 'object',
  properties: {
    /** Host local time, `HH:MM:SS`. */
    time: text,
    uptime: text,
    uptime_seconds: amount,
    users: count,
    load_average: { type: 'array', items: amount, minItems: 3, maxItems: 3 },
    tasks: {
      type: 'object',
      properties: tasks,
      required: ['total', 'running', 'sleeping', 'stopped', 'zombie'],
      additionalProperties: false,
    },
    cpu_percent: {
      type: 'object',
      properties: cpu,
      required: ['us', 'sy', 'ni', 'id', 'wa', 'hi', 'si', 'st'],
      additionalProperties: false,
    },
    mem_bytes: {
      type: 'object',
      properties: memory,
      required: ['total', 'free', 'used', 'buff_cache'],
      additionalProperties: false,
    },
    swap_bytes: {
      type: 'object',
      properties: swap,
      required: ['total', 'free', 'used', 'avail_mem'],
      additionalProperties: false,
    },
  },
  // prettier-ignore
  required: ['time', 'uptime', 'uptime_seconds', 'users', 'load_average', 'tasks', 'cpu_percent', 'mem_bytes', 'swap_bytes'],
  additionalProperties: false,
} as const;
