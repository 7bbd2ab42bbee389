/**
 * The template `process://{pid}/{target}`: status, command line, limits and open files of one process. There is no view of its
 * environment. Read here; only where the kernel refuses and the caller's own grants cover the owner is the broker asked.
 */
import { StewardError } from '@steward/shared/errors.ts';
import { coveringOwner, readAccounts } from '@steward/shared/host/accounts.ts';
import { readProcessStatus } from '@steward/shared/host/processes.ts';
import {
  processCommandLine,
  processLimits,
  processOpenFiles,
  processStatus,
  type ProcessArgs,
} from '@steward/shared/ops/processes/resource.ts';
import { jsonArray, jsonText } from '../render/json.ts';
import { readOrAskRoot } from './ask-root.ts';
import { processIds } from './choices.ts';
import type { ResourceContent, ResourceContext, ResourceTemplate } from './resource.ts';

const PLAIN = 'text/plain';
const JSON_TYPE = 'application/json';
/** PID_MAX_LIMIT of 64-bit kernels has seven digits. */
const PID = /^[1-9]\d{0,9}$/;

const inspect: ResourceTemplate = {
  uriTemplate: 'process://{pid}/{target}',
  complete: { pid: processIds, target: () => Promise.resolve(['status', 'cmdline', 'limits', 'open_files']) },
  matches: 'process://{rest}',
  name: 'Process Introspection',
  description: 'One process: status (text), cmdline, limits, open_files. Never its environment.',
  mimeType: JSON_TYPE,
  group: 'processes',
  verb: 'describe',
  async read(context) {
    const { pid, target } = placeOf(context.params['rest'] ?? '');
    const read = Object.hasOwn(TARGETS, target) ? TARGETS[target] : undefined;
    if (read === undefined) throw new StewardError('process_target', { target });
    return read(context, { pid });
  },
};

/** Throws `process_uri_invalid` and `pid_invalid`. */
function placeOf(rest: string): { readonly pid: number; readonly target: string } {
  const [pid, target, ...more] = rest.split('/');
  if (pid === undefined || target === undefined || pid === '' || target === '' || more.length > 0) {
    throw new StewardError('process_uri_invalid');
  }
  if (!PID.test(pid)) throw new StewardError('pid_invalid', { pid });
  return { pid: Number(pid), target };
}

type Read = (context: ResourceContext, args: ProcessArgs) => Promise<ResourceContent>;

const TARGETS: Readonly<Record<string, Read>> = {
  async status(context, args) {
    return { mimeType: PLAIN, text: (await context.runLocal(processStatus, args)).result };
  },
  async cmdline(context, args) {
    return { mimeType: JSON_TYPE, text: jsonArray((await context.runLocal(processCommandLine, args)).records()) };
  },
  async limits(context, args) {
    const outcome = await readOrAskRoot(context, processLimits, args, () => isCovered(context, args));
    return { mimeType: JSON_TYPE, text: jsonText(outcome.result) };
  },
  async open_files(context, args) {
    const outcome = await readOrAskRoot(context, processOpenFiles, args, () => isCovered(context, args));
    return { mimeType: JSON_TYPE, text: jsonArray(outcome.records()) };
  },
};

/** Whether asking the broker is worth while: whose process it is, everybody may know. */
function isCovered({ grants }: ResourceContext, { pid }: ProcessArgs): boolean {
  const entries = (grants.resources['process://'] ?? []).map((entry) => (entry === '' ? '*' : entry));
  if (entries.includes('*')) return true;
  const status = readProcessStatus('/', `/proc/${pid}`);
  if (status === undefined) return false;
  const accounts = readAccounts('/');
  return [status.realUid, status.effectiveUid].every((uid) => coveringOwner(entries, uid, accounts) !== undefined);
}

export const PROCESS_TEMPLATES: readonly ResourceTemplate[] = [inspect];
