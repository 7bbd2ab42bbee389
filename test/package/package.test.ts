/**
 * The package by itself: what is in it, what is not, and that two builds are equal. Needs dpkg-deb, strip and lintian.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { before, test } from 'node:test';
import { buildPackage, packageDirectory } from '../support/package/debs.ts';
import { join } from 'node:path';
import { ROOT } from '../support/paths.ts';

const directory = packageDirectory();
const VERSION = (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version;
let file: string;
let unpacked: string;

const sha256 = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');
const dpkgDeb = (...args: readonly string[]): string =>
  execFileSync('dpkg-deb', [...args, file], { encoding: 'utf8', maxBuffer: 1 << 26 });

/** `mode owner path` of every entry. */
function contents(): readonly { readonly mode: string; readonly owner: string; readonly path: string }[] {
  return dpkgDeb('--contents')
    .trim()
    .split('\n')
    .map((line) => {
      const [mode = '', owner = '', , , , path = ''] = line.split(/\s+/);
      return { mode, owner, path: path.replace(/^\./, '') };
    });
}

before(() => {
  file = buildPackage(directory, VERSION);
  unpacked = join(directory, 'unpacked');
  execFileSync('dpkg-deb', ['--extract', file, unpacked]);
});

test('two builds of one commit are equal', () => {
  const first = sha256(file);
  assert.equal(sha256(buildPackage(directory, VERSION)), first);
});

test('everything belongs to root, nobody else may write, nothing is set-user-id', () => {
  for (const { mode, owner, path } of contents()) {
    assert.equal(owner, 'root/root', path);
    assert.match(mode, /^[d-]r[w-][x-]r-?[x-]?-*[r-]-?[x-]?|^[d-]rw-r-----|^[d-]rw-------|^drwxr-x---/, `${path} ${mode}`);
    assert.doesNotMatch(mode, /^.{5}w|^.{8}w|s|t/, `${path} ${mode}`);
  }
});

test('what is inside: programs, runtime, units, configuration, documents; and nothing of the workshop', () => {
  const paths = contents().map(({ path }) => path);
  for (const path of [
    '/usr/bin/stewardctl',
    '/usr/lib/steward/broker.js',
    '/usr/lib/steward/node',
    '/usr/lib/systemd/system/steward-frontend.service',
    '/usr/lib/sysusers.d/steward.conf',
    '/etc/steward/grants.yaml',
    '/usr/share/man/man1/stewardctl.1.gz',
    '/usr/share/doc/steward/copyright',
  ]) {
    assert.ok(paths.includes(path), path);
  }
  for (const path of paths) assert.doesNotMatch(path, /node_modules|\.test\.|run\.js|\.ts$|\.map$/, path);
  const modes = new Map(contents().map(({ path, mode }) => [path, mode]));
  assert.equal(modes.get('/etc/steward/users.yaml'), '-rw-------');
  assert.equal(modes.get('/etc/steward/daemon.yaml'), '-rw-r-----');
  assert.equal(modes.get('/etc/steward/'), 'drwxr-x---');
});

test('every component has its licence and its line in the bill of materials', () => {
  const copyright = extract('/usr/share/doc/steward/copyright');
  const bill = JSON.parse(extract('/usr/share/doc/steward/sbom.cdx.json')) as { components: { name: string; version: string }[] };
  const report = JSON.parse(readFileSync(join(ROOT, 'dist/report.json'), 'utf8')) as Record<string, { packages: object }>;
  const held = ['broker', 'broker-docker', 'frontend', 'certs', 'stewardctl'].flatMap((name) =>
    Object.keys(report[name]?.packages ?? {}),
  );
  const named = bill.components.map(({ name }) => name);
  for (const name of [...held, `node-linux-${process.arch}`]) {
    assert.ok(named.includes(name), name);
    assert.ok(copyright.includes(`the authors of ${name} `), name);
  }
});

/** Text of a file of the package. */
const extract = (path: string): string => readFileSync(join(unpacked, path), 'utf8');

test('the runtime that is shipped is the one whose digest is recorded', () => {
  const recorded = extract('/usr/share/doc/steward/runtime.sha256');
  const original = join(ROOT, `node_modules/node-linux-${process.arch}/bin/node`);
  assert.ok(recorded.includes(sha256(original)));
  assert.match(recorded, new RegExp(`^[0-9a-f]{64} {2}/usr/lib/steward/node `, 'm'));
});

test('not larger than it has to be', (t) => {
  const installed = Number(
    /^Installed-Size: (\d+)$/m.exec(dpkgDeb('--info'))?.[1] ?? /Installed-Size: (\d+)/.exec(dpkgDeb('--info'))?.[1],
  );
  t.diagnostic(
    `${(statSync(file).size / 1e6).toFixed(1)} MB with little compression, ${(installed / 1000).toFixed(0)} MB installed`,
  );
  assert.ok(statSync(file).size <= 60e6);
  assert.ok(installed * 1024 <= 160e6);
});

test('lintian finds nothing', () => {
  const { stdout, stderr, status } = spawnSync(
    'lintian',
    ['--fail-on', 'error,warning', '--no-tag-display-limit', '--suppress-tags', 'bad-distribution-in-changes-file', file],
    {
      encoding: 'utf8',
    },
  );
  assert.equal(status, 0, `${stdout}${stderr}`);
});
