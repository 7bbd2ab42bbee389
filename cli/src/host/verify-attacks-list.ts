/**
 * The attacks of `stewardctl verify`: what is asked of a broker that must refuse it, and the grants under which it is asked. Data only.
 * Should one of them be permitted after all, it reads, pretends (`dry_run`) or changes a file of the scratch area, nothing else.
 */
import type { ErrorKey } from '@steward/shared/errors.ts';

/** Paths of the scratch area that attacks speak of. */
export interface AttackedPaths {
  /** The granted tree. */
  readonly tree: string;
  /** A file in it. */
  readonly note: string;
  /** A file in a directory whose name begins like the tree's. */
  readonly beside: string;
  /** A file outside of the tree. */
  readonly canary: string;
  /** In the tree: a link to the canary, the canary through a link to its directory, a hard link to the scratch users.yaml. */
  readonly link: string;
  readonly throughLink: string;
  readonly hardLink: string;
  /** Files that a broker must not show to anybody: its own grants.yaml, and that of the installed one where there is one. */
  readonly secrets: readonly string[];
}

export interface Attack {
  readonly name: string;
  /** Whose session is used: of the user with the narrow grants, of the one who may do everything below `/`, or none. */
  readonly as: 'narrow' | 'wide' | 'nobody';
  readonly op: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** What is uploaded. */
  readonly content?: string;
  readonly refusal: ErrorKey;
}

/** grants.yaml of the scratch configuration. */
export function attackedGrants({ tree }: AttackedPaths): string {
  const only = JSON.stringify([tree]);
  return `version: 1
users:
  narrow:
    tools:
      files/read: {allowed: true, paths: ${only}}
      files/create: {allowed: true, paths: ${only}}
      files/chmod: {allowed: true, paths: ${only}}
      services/manage: {allowed: true, units: ["*"]}
      kernel/system-control: {allowed: true, sysctl: {write_keys: [net.ipv4.ip_forward]}}
  wide:
    tools:
      files/read: {allowed: true, paths: [/]}
`;
}

export function attacks(paths: AttackedPaths): readonly Attack[] {
  const { tree, note, beside, link, throughLink, hardLink, secrets } = paths;
  const read = (name: string, path: string, refusal: ErrorKey, as: Attack['as'] = 'narrow'): Attack => {
    return { name, as, op: 'files/read', args: { path }, refusal };
  };
  const write = (name: string, path: string): Attack => {
    return { name, as: 'narrow', op: 'files/create', args: { path }, content: 'overwritten\n', refusal: 'symlink_refused' };
  };
  const pretend = (name: string, op: string, args: Attack['args'], refusal: ErrorKey): Attack => {
    return { name, as: 'narrow', op, args: { ...args, dry_run: true }, refusal };
  };
  const change = { key: 'kernel.core_pattern', value: 'core' };
  return [
    read('no capability', note, 'no_session', 'nobody'),
    read('path beside the granted one', beside, 'path_restricted'),
    read('path with ..', `${tree}/../outside/canary`, 'path_restricted'),
    write('symbolic link', link),
    write('symbolic link in the middle', throughLink),
    read('hard link to the configuration', hardLink, 'protected_object'),
    ...secrets.map((path) => read(`configuration ${path}`, path, 'protected_object', 'wide')),
    read('environment of a process', '/proc/1/environ', 'protected_object', 'wide'),
    pretend('tool without a grant', 'files/chown', { path: note, owner: '0' }, 'not_granted'),
    pretend('kernel parameter', 'kernel/system-control', change, 'sysctl_restricted'),
    pretend('option as unit name', 'services/manage', { service: '--help', action: 'restart' }, 'unit_invalid'),
    { name: 'setuid bit', as: 'narrow', op: 'files/chmod', args: { path: note, mode: '4755' }, refusal: 'setid_not_granted' },
  ];
}
