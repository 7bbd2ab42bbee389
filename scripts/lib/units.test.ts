/** The units permit what the broker's table needs and nothing besides, start both processes as the launcher does, and say why. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { SMART_CAPABILITIES } from '@steward/shared/catalogue/row.ts';
import { brokerCommand, frontendCommand } from '../../broker/launcher/commands.ts';
import { TABLE } from '../../broker/src/table.ts';
import { UNITS, parseUnit, readUnit, words } from './units.ts';

const BROKER = readUnit('steward-broker@.service');
const FRONTEND = readUnit('steward-frontend.service');
const SMART = readUnit('drop-ins/smart.conf');

/** What all rows together name. */
const CAPABILITIES = [...new Set(TABLE.flatMap((row) => row.touches.capabilities))];
const PROGRAMS = [...new Set(TABLE.flatMap((row) => row.touches.programs.map(({ name }) => name)))].sort();
/** What may be executed besides: the runtime, and where distributions have the libraries of the C runtime. */
const LIBRARIES = ['-/usr/lib/x86_64-linux-gnu', '-/usr/lib/aarch64-linux-gnu', '-/usr/lib64'];

const programsOf = (unit: typeof BROKER): string[] =>
  words(unit, 'ExecPaths').filter((path) => !LIBRARIES.includes(path) && path !== '/usr/lib/steward/node');
const nameOf = (path: string): string => path.replace(/^-\/usr\/s?bin\//, '');

// abuse 50: broker
test('the capabilities of the broker are those that rows name, those of SMART in their drop-in', () => {
  const named = (unit: typeof BROKER): string[] => words(unit, 'CapabilityBoundingSet').map((name) => name.replace(/^CAP_/, ''));
  const isSmart = (name: string): boolean => SMART_CAPABILITIES.some((one) => one === name);
  assert.deepEqual(named(BROKER).sort(), CAPABILITIES.filter((name) => !isSmart(name)).sort());
  assert.deepEqual(named(SMART).sort(), CAPABILITIES.filter(isSmart).sort());
  assert.deepEqual(words(FRONTEND, 'CapabilityBoundingSet'), []);
});

test('the programs that the broker may execute are those that rows name', () => {
  assert.deepEqual([...programsOf(BROKER), ...programsOf(SMART)].map(nameOf).sort(), PROGRAMS);
  assert.deepEqual(programsOf(SMART).map(nameOf), ['smartctl']);
  assert.deepEqual(words(BROKER, 'NoExecPaths'), ['/']);
  assert.deepEqual(words(FRONTEND, 'NoExecPaths'), ['/']);
});

test('the units start the runtime with the flags and the environment of the launcher', () => {
  const options = { configDir: '', stateDir: '', dist: '', listen: [], account: { uid: 1, gid: 1 }, smart: false };
  const flags = (args: readonly string[]): string[] => args.filter((word) => /^--(jit|dis|no-a|froz|max|init|expose)/.test(word));
  const start = (unit: typeof BROKER): string[] => unit.find(({ name }) => name === 'ExecStart')?.value.split(' ') ?? [];
  assert.deepEqual(flags(start(BROKER)), flags(brokerCommand(options).args));
  assert.deepEqual(flags(start(FRONTEND)), flags(frontendCommand(options).args));
  assert.ok(flags(start(BROKER)).length === 10 && flags(start(FRONTEND)).length === 9);
  const memory = Object.entries(frontendCommand(options).env).map(([name, value]) => `${name}=${value}`);
  assert.deepEqual(words(FRONTEND, 'Environment'), memory);
  assert.deepEqual(words(BROKER, 'Environment').sort(), [...memory, 'STEWARD_PEER=%i']);
});

test('neither process can gain rights, listen where it should not, or write code', () => {
  for (const unit of [BROKER, FRONTEND]) {
    for (const option of ['NoNewPrivileges', 'MemoryDenyWriteExecute', 'RestrictNamespaces', 'LockPersonality'])
      assert.deepEqual(words(unit, option), ['yes'], option);
    assert.deepEqual(words(unit, 'AmbientCapabilities'), []);
    assert.deepEqual(words(unit, 'SystemCallArchitectures'), ['native']);
  }
  assert.deepEqual(
    words(BROKER, 'RestrictAddressFamilies').filter((family) => family.startsWith('AF_INET')),
    [],
  );
  assert.deepEqual(words(BROKER, 'StandardOutput'), ['journal'], 'else it would be the connection');
});

test('every option of a sandbox says why', () => {
  const files = readdirSync(UNITS, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(service|socket|conf|path|timer)$/.test(name),
  );
  for (const file of files) {
    for (const { section, name, comment } of readUnit(file)) {
      const isPlain =
        section === 'Unit' || section === 'Install' || /^(Type|User|Group|SyslogIdentifier|ListenStream)$/.test(name);
      assert.ok(isPlain || comment !== '', `${file}: ${name} has no comment`);
    }
  }
});

test('a unit is read as systemd reads it', () => {
  const unit = parseUnit('[Service]\n# Why.\nExecPaths=/a -/b\nExecPaths=/c\n\n# -- Heading\nUMask=0077\n');
  assert.deepEqual(words(unit, 'ExecPaths'), ['/a', '-/b', '/c']);
  assert.deepEqual(
    unit.map(({ comment }) => comment),
    ['# Why.\n', '# Why.\n', ''],
  );
  assert.throws(() => parseUnit('[Service]\nExecStart=/a \\\n'), /continued/);
});
