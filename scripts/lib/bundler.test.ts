/** Shows that bundles keep their comments and that one which holds what it must not is refused. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { bundle, checkBundle, packageOf } from './bundler.ts';
import { ROOT } from './sources.ts';

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
    const { files } = await bundle(entry, { name: 'program' });
    assert.equal(files.length, 1);
    const { code, modules } = files[0]!;
    for (const kept of ['Why this is here', '// inside', 'Says it later']) assert.ok(code.includes(kept), kept);
    assert.doesNotMatch(code, /import\(["']\.\//);
    assert.equal(modules.length, 2);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('what is loaded on first use can be a file of its own, with the one copy of what both need', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'steward-bundle-'));
  const place = (name: string): string => relative(ROOT, join(directory, name));
  try {
    writeFileSync(join(directory, 'both.ts'), '/** In one of them. */\nexport class Both {}\n');
    writeFileSync(
      join(directory, 'first.ts'),
      'import { Both } from "./both.ts";\nexport const second = () => import("./second.ts");\nexport const isBoth = (one: unknown) => one instanceof Both;\n',
    );
    writeFileSync(
      join(directory, 'second.ts'),
      'import { sep } from "node:path";\nimport { Both } from "./both.ts";\nexport const made = () => [new Both(), sep];\n',
    );
    const entry = join(directory, 'main.ts');
    writeFileSync(
      entry,
      'const { second, isBoth } = await import("./first.ts");\nexport const held = isBoth((await second()).made()[0]);\n',
    );
    const parts = { [place('first.ts')]: 'program-first', [place('second.ts')]: 'program-second' };
    const { files } = await bundle(entry, { name: 'program', parts });
    assert.deepEqual(files.map(({ name }) => name).sort(), ['program', 'program-first', 'program-second']);
    assert.equal(files.filter(({ code }) => code.includes('In one of them')).length, 1);
    const made = join(directory, 'made');
    mkdirSync(made);
    writeFileSync(join(made, 'package.json'), '{"type":"module"}');
    for (const { name, code } of files) writeFileSync(join(made, `${name}.js`), code);
    assert.equal(((await import(join(made, 'program.js'))) as { held: unknown }).held, true);
    await assert.rejects(
      bundle(entry, { name: 'program', parts: { [place('first.ts')]: 'program-first' } }),
      /no part is to hold .*second/,
    );
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
        'export const said = [joined("a", "b"), sep, path.sep, typeof os.EOL, "→ ─ µ", /^[→µ]$/.test("µ")]; // “why”\n',
    );
    const { code } = (await bundle(entry, { name: 'program' })).files[0]!;
    assert.doesNotMatch(code, /^import /m);
    assert.doesNotMatch(code, /[\u0080-\uffff]/);
    const made = join(directory, 'made.mjs');
    writeFileSync(made, code);
    const { said } = (await import(made)) as { said: unknown };
    assert.deepEqual(said, ['a/b', '/', '/', 'string', '→ ─ µ', true]);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
