/**
 * Shows what systemd makes of the units: `systemd-analyze verify` must have nothing to say, and the exposure that `systemd-analyze
 * security` finds must not grow. Where systemd is not installed it says so.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSnapshot } from '@steward/shared/config/load.ts';
import { sealedProfile } from '../cli/src/host/profile.ts';
import { type FakeRoot, UNITS, fakeRoot } from './lib/units.ts';

const ANALYZE = '/usr/bin/systemd-analyze';
const BROKER = 'steward-broker@0-1-2.service';

/** Grants of the kind that leave the profile the least to close. */
const GRANTS = `version: 1
users:
  ops:
    tools:
      files/create: {allowed: true, paths: [/srv/x, /home/ops, /var/tmp/x]}
      kernel/system-control: {allowed: true, sysctl: {write_keys: [vm.swappiness]}}
      logs/dmesg: {allowed: true}
`;
const WIDE = parseSnapshot({ daemon: 'version: 1\n', users: 'version: 1\nusers: []\n', grants: GRANTS }, '/etc/steward');

/** Exposure from 0 (none) to 10, at most; with which drop-in of the broker. */
const LIMITS = [
  { what: 'frontend', unit: 'steward-frontend.service', most: 1.9 },
  { what: 'broker', unit: BROKER, most: 4.0 },
  { what: 'broker sealed', unit: BROKER, sealed: true, most: 3.7 },
  { what: 'audit rotation', unit: 'steward-audit-rotate.service', most: 1.1 },
  { what: 'broker with SMART', unit: BROKER, dropIn: 'drop-ins/smart.conf', most: 4.6 },
] as const;

/** The text of the drop-in that a line is about: a shipped one, or one rendered for grants that use all that can be granted. */
function dropInOf(limit: (typeof LIMITS)[number]): string | undefined {
  if ('dropIn' in limit) return readFileSync(join(UNITS, limit.dropIn), 'utf8');
  return 'sealed' in limit ? sealedProfile(WIDE) : undefined;
}

/** The figure of one unit as it stands. Throws when systemd-analyze says anything else. */
function exposure(root: FakeRoot, unit: string): number {
  const { output } = root.analyze('security', '--offline=true', '--no-pager', unit);
  const figure = /Overall exposure level for \S+: ([\d.]+)/.exec(output)?.[1];
  if (figure === undefined) throw new Error(`systemd-analyze security ${unit}: ${output}`);
  return Number(figure);
}

function check(root: FakeRoot): string[] {
  const problems: string[] = [];
  const rotation = ['steward-audit-rotate.service', 'steward-audit-rotate.timer'];
  const units = ['steward-frontend.service', 'steward-broker.socket', BROKER, ...rotation];
  const { status, output } = root.analyze('verify', '--man=no', ...units);
  if (status !== 0 || output !== '') problems.push(`systemd-analyze verify: ${output}`);
  const figures = LIMITS.map((limit) => {
    root.dropIn(dropInOf(limit));
    const figure = exposure(root, limit.unit);
    if (figure > limit.most) problems.push(`exposure of the ${limit.what} is ${figure}, at most ${limit.most}`);
    return `${limit.what} ${figure.toFixed(1)} of ${limit.most.toFixed(1)}`;
  });
  console.log(`exposure by systemd-analyze security: ${figures.join(', ')}`);
  return problems;
}

if (!existsSync(ANALYZE)) console.log('the units were not looked at: there is no systemd-analyze here');
else {
  const root = fakeRoot();
  try {
    const problems = check(root);
    if (problems.length > 0) {
      console.error(problems.join('\n'));
      process.exitCode = 1;
    }
  } finally {
    root.remove();
  }
}
