/** Shows that bundles keep their comments and that one which holds what it must not is refused. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { bundle, checkBundle, packageOf } from './bundler.ts';

const file = (name: string) => ({ file: name, bytes: 10 });

test('a package is known by where its files lie', () => {
  assert.equal(packageOf('node_modules/yaml/dist/index.js'), 'yaml');
  assert.equal(packageOf('node_modules/@peculiar/x509/build/x509.js'), '@peculiar/x509');
  assert.equal(packageOf('node_modules/a/node_modules/b/index.js'), 'b');
  assert.equal(packageOf('broker/src/main.ts'), undefined);
});

test('a bundle that holds what it must not is refused', () => {
  const rule = { entry: 'broker/src/main.ts', packages: ['yaml'], without: ['frontend'] };
  assert.deepEqual(checkBundle('broker', rule, [file('broker/src/main.ts'), file('node_modules/yaml/a.js')]), { yaml: 10 });
  assert.throws(() => checkBundle('broker', rule, [file('frontend/src/log.ts')]), /must not hold frontend\/src\/log\.ts/);
  assert.throws(() => checkBundle('broker', rule, [file('node_modules/pino/pino.js')]), /must not hold the package pino/);
  assert.deepEqual(checkBundle('cli', { entry: 'x', without: [] }, [file('node_modules/pino/pino.js')]), { pino: 10 });
});

test('a bundle is one file that keeps its comments and holds what is imported on first use', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'steward-bundle-'));
  try {
    writeFileSync(join(directory, 'later.ts'), '/** Says it later. */\nexport const later = (): string => "later";\n');
    const entry = join(directory, 'main.ts');
    const main =
      '/** Why this is here. */\nexport async function main(n: number): Promise<string> {\n  // inside\n  return (await import("./later.ts")).later() + n;\n}\n';
    writeFileSync(entry, main);
    const { code, modules } = await bundle(entry);
    for (const kept of ['Why this is here', '// inside', 'Says it later']) assert.ok(code.includes(kept), kept);
    assert.doesNotMatch(code, /import\(["']\.\//);
    assert.equal(modules.length, 2);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('built-in modules are not imported, and the text fits into one byte a character', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'steward-bundle-'));
  try {
    const entry = join(directory, 'main.ts');
    writeFileSync(
      entry,
      'import { join as joined, sep } from "node:path";\nimport * as os from "node:os";\nimport path from "node:path";\n' +
        'export const said = [joined("a", "b"), sep, path.sep, typeof os.EOL, "→ ─", /^[→]$/.test("→")]; // “why”\n',
    );
    const { code } = await bundle(entry);
    assert.doesNotMatch(code, /^import /m);
    assert.doesNotMatch(code, /[\u0100-\uffff]/);
    const made = join(directory, 'made.mjs');
    writeFileSync(made, code);
    const { said } = (await import(made)) as { said: unknown };
    assert.deepEqual(said, ['a/b', '/', '/', 'string', '→ ─', true]);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
