/**
 * Makes the daemon of this host read its configuration again: by its own tool where a context leads to it, which also says
 * what changed; else by SIGHUP, which every steward process takes as the same request.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { reasonOf } from '@steward/shared/errors.ts';
import type { OwnCall, OwnCommand } from './own.ts';
import { readWords } from './words.ts';
import { findConfigDir, INSTALLED } from '../context/config-dir.ts';
import { findContext, isLoopback, readServer } from '../context/target.ts';
import { findCheckout } from '../context/checkout.ts';
import { CliError, EXIT } from '../exit.ts';
import { textOf } from '../options.ts';
import { forTerminal } from '../safety.ts';

/** Title of the process that takes the signal, as the kernel keeps it (15 bytes, proc_pid_comm(5)). */
const FRONTEND = 'steward-frontend'.slice(0, 15);

/** How the launcher calls itself (proc_pid_cmdline(5)); the kernel keeps no more of it than its command line was long. */
const LAUNCHER = /^steward-launcher --config-dir ([^\0]+)/;

/** The configuration directory that a frontend was started for: what its launcher says, under systemd the installed one. */
function configDirOf(pid: string): string | undefined {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // The fields behind the name, which is in parentheses and may hold anything (proc_pid_stat(5)).
  const parent = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? '';
  const launcher = readFileSync(`/proc/${parent}/cmdline`, 'utf8');
  if (launcher.startsWith('steward-launcher')) return LAUNCHER.exec(launcher)?.[1];
  return INSTALLED;
}

/** Ids of the frontends that run for this configuration directory. */
function frontends(configDir: string): number[] {
  const found = readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/comm`, 'utf8').trim() === FRONTEND && configDirOf(name) === configDir;
    } catch {
      // It has ended, or its launcher is another account's and so not ours to reload.
      return false;
    }
  });
  return found.map(Number);
}

/**
 * Whether the client's context is about the daemon of that configuration directory: the checkout's own one, or a daemon on
 * loopback when the directory is not a checkout's.
 */
async function contextFits(call: OwnCall, configDir: string): Promise<boolean> {
  const named = textOf(call.flags, 'server') ?? (call.io.env['STEWARD_SERVER'] || undefined);
  const checkout = findCheckout(call.io.cwd);
  if (named === undefined && checkout !== undefined && !call.flags.has('context')) return checkout.configDir === configDir;
  const server = named ?? (await findContext(call.flags, call.io))?.server;
  return server !== undefined && isLoopback(readServer(server));
}

async function byTool(call: OwnCall): Promise<string> {
  const tool = (await call.client.tools()).find((entry) => /^daemon[/_]reload-config$/.test(entry.name));
  if (tool === undefined) throw new CliError(EXIT.refused, 'the server offers no reload to this user');
  const answer = await call.client.callTool(tool.name, {});
  if (answer.isError) {
    const ungranted = answer.code === 'NOT_GRANTED';
    throw new CliError(ungranted ? EXIT.refused : EXIT.failed, answer.text, answer.request);
  }
  return answer.text;
}

function bySignal(configDir: string): string {
  const found = frontends(configDir);
  const [pid] = found;
  if (pid === undefined)
    throw new CliError(EXIT.unreachable, `no steward that is ours to reload runs on this host for ${configDir}`);
  if (found.length > 1)
    throw new CliError(EXIT.failed, `${found.length} stewards run for ${configDir}: send SIGHUP to the right one`);
  try {
    process.kill(pid, 'SIGHUP');
  } catch (error) {
    throw new CliError(EXIT.failed, `cannot signal process ${pid}: ${reasonOf(error)}`);
  }
  return `Told process ${pid} to reload; its log says what changed.`;
}

/** Reloads; a configuration that the daemon refuses is an error, a daemon out of the client's reach gets the signal. */
export async function reloadDaemon(call: OwnCall): Promise<void> {
  const configDir = findConfigDir(call.flags, call.io);
  const fits = await contextFits(call, configDir).catch(() => false);
  let report: string | undefined;
  if (fits) {
    try {
      report = await byTool(call);
    } catch (error) {
      if (!(error instanceof CliError) || error.exit === EXIT.failed || error.exit === EXIT.interrupted) throw error;
    }
  }
  report ??= bySignal(configDir);
  call.io.stdout.write(`${forTerminal(report)}\n`);
}

export const reload: OwnCommand = {
  name: 'reload',
  usage: '',
  summary: 'Make the daemon of this host read its configuration again',
  run: async (call) => {
    readWords('reload', [], call);
    await reloadDaemon(call);
    return EXIT.done;
  },
};
