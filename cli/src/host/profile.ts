/**
 * stewardctl grants profile: a drop-in for the broker's unit in which the kernel, too, knows what the grants permit. Outside the granted
 * paths and keys the host is read-only for the broker, whatever it is made to try. Rendered from the configuration; decides nothing.
 */
import { mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadSnapshot } from '@steward/shared/config/load.ts';
import { isLiteral, underPath } from '@steward/shared/config/match.ts';
import type { ConfigSnapshot, Grant } from '@steward/shared/config/types.ts';
import { errnoOf, reasonOf } from '@steward/shared/errors.ts';
import { sysctlKey } from '@steward/shared/host/sysctl.ts';
import { takeWords } from './answer.ts';
import type { HostCall, HostCommand } from './command.ts';
import { CliError, EXIT } from '../exit.ts';

/** Where `--install` writes, and what systemd reads it as part of. */
const DROP_IN = '/etc/systemd/system/steward-broker@.service.d/50-sealed.conf';
const STATE = '/var/lib/steward';
const TEMPORARY = ['/tmp', '/var/tmp'];
const HOMES = ['/home', '/root', '/run/user'];
const WRITERS = ['files/create', 'files/update', 'files/chmod', 'files/chown'];

/** Every grant that holds, whoever has it, with the name of its tool. */
function grantsOf({ grants }: ConfigSnapshot): [string, Grant][] {
  return Object.values(grants).flatMap(({ tools }) => Object.entries(tools).filter(([, grant]) => grant.allowed));
}

/** What the broker may have to write to: granted directories, and for granted files what they are in, because edits replace them. */
function writable(snapshot: ConfigSnapshot): string[] {
  const paths = grantsOf(snapshot).flatMap(([tool, { paths = [] }]) => (WRITERS.includes(tool) ? paths : []));
  const places = paths.map((path) => (isFile(path) ? dirname(path) : path));
  return [...new Set([...places, snapshot.daemon.audit.directory, STATE, ...crontabs(snapshot)])].sort();
}

/** Everybody with an account may edit the own crontab. */
function crontabs(snapshot: ConfigSnapshot): string[] {
  const edits =
    snapshot.users.some(({ account }) => account !== '') || grantsOf(snapshot).some(([tool]) => tool === 'cron/manage');
  return edits ? ['/var/spool/cron', '/etc/crontabs'] : [];
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === false;
}

/** Files below /proc/sys that may be written; of a pattern the directory before its first wildcard. */
function parameters(snapshot: ConfigSnapshot): string[] {
  const keys = grantsOf(snapshot).flatMap(([, { sysctl }]) => sysctl?.write_keys ?? []);
  const files = keys.map((key) => {
    if (isLiteral(key)) return `/proc/sys/${sysctlKey(key).path}`;
    const parts = key.split('.');
    return [
      '/proc/sys',
      ...parts.slice(
        0,
        parts.findIndex((part) => !isLiteral(part)),
      ),
    ].join('/');
  });
  return [...new Set(files)].sort();
}

/** True when any path that somebody may read or write lies in one of the places or above it. */
function touches(snapshot: ConfigSnapshot, places: readonly string[]): boolean {
  const listed = Object.values(snapshot.grants).flatMap(({ resources }) => resources['file://'] ?? []);
  const paths = [
    ...grantsOf(snapshot).flatMap(([, { paths = [] }]) => paths),
    ...listed.map((path) => (path === '*' ? '/' : path)),
  ];
  return paths.some((path) => places.some((place) => underPath(path, place) || underPath(place, path)));
}

/** One path as systemd.exec(5) reads it: what is missing is skipped, blanks and specifiers are literal. */
function quoted(path: string): string {
  const text = path.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%');
  return `"-${text}"`;
}

/** The text of the drop-in. */
export function sealedProfile(snapshot: ConfigSnapshot): string {
  const keys = parameters(snapshot);
  const temporary = touches(snapshot, TEMPORARY)
    ? [
        "# Somebody was granted a place for temporary files: they stay the host's. Large uploads are kept there, too.",
        'ReadWritePaths=/var/tmp',
      ]
    : ['# Nobody was granted a place for temporary files: it has its own, for large uploads.', 'PrivateTmp=yes'];
  return `${[
    `# Made by stewardctl grants profile from ${snapshot.files[2]} (SHA-256 ${snapshot.grantsDigest}).`,
    '# To be made again, and the frontend restarted, when grants of paths or kernel parameters have changed: what is new in them is',
    '# refused by the kernel until then.',
    '[Service]',
    '# The host is read-only but for what the grants name, the audit log and the state.',
    'ProtectSystem=strict',
    ...writable(snapshot).map((path) => `ReadWritePaths=${quoted(path)}`),
    ...temporary,
    ...(touches(snapshot, HOMES)
      ? ['# Somebody was granted a home directory; the others are seen and not changed.', 'ProtectHome=read-only']
      : ['# Nobody was granted a home directory.', 'ProtectHome=yes']),
    '# Kernel parameters: those that may be written.',
    'ReadOnlyPaths=/proc/sys',
    ...keys.map((path) => `ReadWritePaths=${quoted(path)}`),
    ...(grantsOf(snapshot).some(([tool]) => tool === 'logs/dmesg')
      ? []
      : ["# Nobody was granted the kernel's messages.", 'ProtectKernelLogs=yes', 'CapabilityBoundingSet=~CAP_SYSLOG']),
  ].join('\n')}\n`;
}

function profile(call: HostCall): Promise<number> {
  takeWords(call, 'grants profile');
  const text = sealedProfile(loadSnapshot(call.configDir));
  if (!call.options.has('install')) call.out.write(text);
  else {
    install(text);
    call.out.write(`${DROP_IN} written; it takes effect with: systemctl daemon-reload && systemctl restart steward-frontend\n`);
  }
  return Promise.resolve(EXIT.done);
}

/** systemd reads the old one or the new one, never half of one. */
function install(text: string): void {
  try {
    mkdirSync(dirname(DROP_IN), { recursive: true, mode: 0o755 });
    const draft = join(dirname(DROP_IN), `.sealed.${process.pid}`);
    writeFileSync(draft, text, { mode: 0o644 });
    renameSync(draft, DROP_IN);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    throw new CliError(EXIT.failed, `cannot write ${DROP_IN}: ${reasonOf(error)}`);
  }
}

export const profileCommands: readonly HostCommand[] = [
  {
    path: ['grants', 'profile'],
    usage: '',
    summary: "Print a drop-in for the broker's unit that has the kernel enforce paths and kernel parameters",
    details: [
      'Outside the granted paths and keys the whole host is read-only for the broker. The drop-in is made from grants.yaml as it is now: make it again when grants change.',
    ],
    options: [{ name: 'install', summary: `Write it to ${DROP_IN}` }],
    run: profile,
  },
];
