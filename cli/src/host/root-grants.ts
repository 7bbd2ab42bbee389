/**
 * Which grants amount to full root, and which are wider than they look. Pure but for looking at directories that are granted. What it
 * says is advice: the broker knows nothing of it.
 */
import { statSync } from 'node:fs';
import { coveringKey, simpleGlob, underPath } from '@steward/shared/config/match.ts';
import type { ConfigSnapshot, Grant } from '@steward/shared/config/types.ts';
import type { RootContainer } from './engine-roots.ts';

export interface Finding {
  /** `root`: whoever has the grant can become root. `wide`: it permits more than it may seem to. */
  readonly level: 'root' | 'wide';
  readonly user: string;
  readonly tool: string;
  /** In grants.yaml. */
  readonly line: number;
  readonly reason: string;
}

type Judged = readonly [level: Finding['level'], reason: string];

/** Places in which whoever can write is root, and why. */
const ROOT_PLACES: Readonly<Record<string, string>> = {
  '/etc': 'accounts, sudo rules, cron tables and units are there',
  '/usr': 'programs that root runs are there',
  '/bin': 'programs that root runs are there',
  '/sbin': 'programs that root runs are there',
  '/lib': 'libraries and units that root runs are there',
  '/boot': 'the kernel is there',
  '/root': "root's own start-up files and keys are there",
  '/opt': 'programs that root may run are there',
  '/var/spool/cron': 'commands that cron runs as root are there',
  '/var/lib/dpkg': 'scripts that the package manager runs as root are there',
  '/run/systemd': 'units that root runs are there',
  '/dev': 'disks and memory are there',
  '/proc': 'kernel parameters that name programs are there',
};

/** Places whose content opens other doors when it is read. */
const SECRETS = ['/etc/shadow', '/etc/ssh', '/root', '/etc/ssl/private'];

/** Parameters whose value the kernel runs as root, or that let it run what it is given. */
const PROGRAM_KEYS = ['kernel.core_pattern', 'kernel.modprobe', 'kernel.hotplug', 'kernel.poweroff_cmd'];
const PROGRAM_TREES = ['kernel.usermodehelper.', 'fs.binfmt_misc.'];

const WRITERS = ['files/create', 'files/update', 'files/chmod', 'files/chown'];

/** Grants of commands without a list of them, about which the engine has more to say. */
export function needsEngine({ grants }: ConfigSnapshot): boolean {
  const execs = Object.values(grants).map(({ tools }) => tools['docker/exec']);
  return execs.some((grant) => grant?.allowed === true && anyCommand(grant));
}

/** All findings, in the order of the file. `containers`: those that are as good as root on the host, as far as that is known. */
export function rootGrants({ grants }: ConfigSnapshot, containers: readonly RootContainer[] = []): Finding[] {
  const found = Object.entries(grants).flatMap(([user, { tools }]) =>
    Object.entries(tools)
      .filter(([, grant]) => grant.allowed)
      .flatMap(([tool, grant]) =>
        judge(tool, grant, tools, containers).map(([level, reason]) => ({ level, user, tool, line: grant.line, reason })),
      ),
  );
  return found.sort((a, b) => a.line - b.line);
}

function judge(tool: string, grant: Grant, all: Readonly<Record<string, Grant>>, containers: readonly RootContainer[]): Judged[] {
  if (WRITERS.includes(tool)) return [...(grant.paths ?? []).flatMap((path) => writing(tool, path)), ...setid(tool, grant, all)];
  switch (tool) {
    case 'files/read':
      return (grant.paths ?? []).flatMap(reading);
    case 'kernel/system-control':
      return parameters(grant.sysctl?.write_keys ?? []);
    case 'docker/exec':
      return commands(grant, containers);
    case 'services/manage':
      return covers(grant.units) ? [['wide', 'every unit of the host can be stopped, those that protect it too']] : [];
    case 'processes/delete':
      return covers(grant.owners) ? [['wide', "processes of every account can be ended, root's too"]] : [];
    case 'cron/manage':
      return crontabs(grant);
    default:
      return [];
  }
}

/** No list, or one that holds everything. */
const covers = (list: readonly string[] | undefined): boolean => list === undefined || list.includes('*');

function writing(tool: string, path: string): Judged[] {
  const place = Object.keys(ROOT_PLACES).find((one) => underPath(path, one) || underPath(one, path));
  if (place !== undefined) return [['root', `${tool} on ${path}: ${ROOT_PLACES[place] ?? ''}`]];
  return foreign(path);
}

function reading(path: string): Judged[] {
  const secret = SECRETS.find((one) => underPath(path, one));
  return secret === undefined ? [] : [['wide', `${path} holds secrets (${secret}): password hashes or keys`]];
}

/** A directory in which another account decides what lies under which name. */
function foreign(path: string): Judged[] {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return [];
  if (stat.uid !== 0) return [['wide', `${path} belongs to uid ${stat.uid}, who decides what lies there under which name`]];
  return (stat.mode & 0o022) === 0
    ? []
    : [['wide', `others than root can write to ${path} and decide what lies there under which name`]];
}

/** A program of the caller's that becomes root's and set-user-ID. */
function setid(tool: string, grant: Grant, all: Readonly<Record<string, Grant>>): Judged[] {
  if (tool !== 'files/chmod' || grant.setid !== true) return [];
  const mine = grant.paths ?? [];
  const theirs = all['files/chown']?.allowed === true ? (all['files/chown'].paths ?? []) : [];
  const common = mine.find((a) => theirs.some((b) => underPath(a, b) || underPath(b, a)));
  if (common !== undefined)
    return [['root', `setid together with files/chown on ${common}: any program there can be made root's and set-user-ID`]];
  return [['wide', 'setid: set-user-ID and set-group-ID bits can be set, also on what belongs to root']];
}

function parameters(keys: readonly string[]): Judged[] {
  const single = PROGRAM_KEYS.filter((key) => coveringKey(keys, key) !== undefined);
  const below = keys.filter((key) => PROGRAM_TREES.some((tree) => key.startsWith(tree)));
  return [...single, ...below].map((key): Judged => [
    'root',
    `${key} names a program that the kernel runs as root, or how it runs programs`,
  ]);
}

const anyCommand = ({ commands: prefixes }: Grant): boolean =>
  prefixes === undefined || prefixes.some((prefix) => prefix.length === 0);

function commands(grant: Grant, known: readonly RootContainer[]): Judged[] {
  if (!anyCommand(grant)) return [];
  const { containers = [] } = grant;
  const reached = known.filter(({ names }) => containers.some((glob) => names.some((name) => simpleGlob(glob, name))));
  if (reached.length > 0) {
    return reached.map(({ name, reason }): Judged => ['root', `any command in ${name}: ${reason}`]);
  }
  const which = containers.includes('*') ? 'every container' : containers.join(', ');
  return [
    [
      'wide',
      `any command in ${which}: that is root on the host where a container is privileged, or holds the engine's socket or the host's root`,
    ],
  ];
}

function crontabs({ users = {} }: Grant): Judged[] {
  const edited = Object.entries(users).flatMap(([account, { edit }]) => (edit ? [account] : []));
  return edited.map((account): Judged => [
    'wide',
    `whoever edits the crontab of ${account} acts as ${account}, with all that its groups and sudo rules permit`,
  ]);
}
