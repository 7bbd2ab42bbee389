/** What calls of every row act on in tests that go through the whole table, and grants that permit it and little else. Test only. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { RESOURCE_SCHEMES } from '@steward/shared/catalogue/facts.ts';
import { TABLE } from '../../../broker/src/table.ts';

/** What the cases act on. */
export interface Stage {
  /** A granted directory with `file`, `other` and `deep/file`. */
  readonly tree: string;
  /** A process of another account, made for this. */
  readonly victim: number;
  /** An account without a crontab. */
  readonly account: string;
  /** Kernel name of a disk. */
  readonly disk: string;
  readonly container: string;
}

/** Everything, on the stage alone where that can be said. */
export function grantsFor({ tree, account }: Stage): string {
  const paths = ['list', 'read', 'create', 'update', 'find', 'filetype', 'chmod', 'chown'].map((name) => `files/${name}`);
  const onPaths = [...paths, 'disks/free', 'disks/usage'].map((tool) => `      ${tool}: {allowed: true, paths: [${tree}]}\n`);
  const plain = TABLE.flatMap(({ grant }) => {
    if ('extra' in grant) return [grant.extra];
    return 'tool' in grant && !onPaths.some((line) => line.includes(` ${grant.tool}:`)) ? [grant.tool] : [];
  });
  const limits: Readonly<Record<string, string>> = {
    'kernel/system-control': ', sysctl: {write_keys: [net.ipv4.ip_default_ttl]}',
    'docker/prune': ', prune: [images]',
    ...Object.fromEntries(['manage', 'logs', 'exec'].map((name) => [`docker/${name}`, ', containers: ["*"]'])),
  };
  const tools = plain.map((tool) => `      ${tool}: {allowed: true${limits[tool] ?? ''}}\n`);
  const cron = `      cron/manage: {allowed: true, users: {${account}: {view: true, edit: true}}}\n`;
  const lists = RESOURCE_SCHEMES.map((scheme) => `      ${scheme}: [${scheme === 'file://' ? tree : '"*"'}]\n`);
  return `  ops:\n    tools:\n${onPaths.join('')}${tools.join('')}${cron}    resources:\n${lists.join('')}`;
}

/** Why tests that call every row are left out: without cron, rows about it can only fail, and no account can be chosen for them. */
export const needsCron: string | false = existsSync('/usr/bin/crontab') ? false : 'needs cron';

/** One that cron knows and nobody uses. */
export function accountWithoutCrontab(): string {
  const names = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':')[0] ?? '');
  const used = readdirSync('/var/spool/cron/crontabs');
  return (
    ['games', 'news', 'nobody'].find((name) => names.includes(name) && !used.includes(name)) ?? assert.fail('all have a crontab')
  );
}

export function aDisk(): string {
  return readdirSync('/sys/class/block').find((name) => existsSync(`/dev/${name}`)) ?? 'sda';
}
