/** Builds one bundle and says what went into it. Build time only. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { bundle, checkBundle } from './bundler.ts';
import { BUNDLES } from './bundles.ts';
import { ROOT, fileHash, replaceFile } from './sources.ts';

/** What the report says of a bundle. */
export interface Built {
  readonly bytes: number;
  /** Bytes by npm package. */
  readonly packages: Readonly<Record<string, number>>;
  /** SHA-256 of every file that it was made of, by path relative to the repository. */
  readonly inputs: Readonly<Record<string, string>>;
}

/** Inputs that every bundle has beside its own modules. */
const COMMON = [
  'package-lock.json',
  'scripts/build.mjs',
  'scripts/lib/build-one.ts',
  'scripts/lib/builtins.ts',
  'scripts/lib/bundles.ts',
  'scripts/lib/bundler.ts',
  'scripts/lib/plugins.ts',
];

/** Builds dist/<name>.js. Throws when it would hold what its rule forbids. */
export async function buildOne(name: string): Promise<Built> {
  const rule = BUNDLES[name];
  if (rule === undefined) throw new Error(`unknown bundle: ${name}`);
  const began = Date.now();
  const { code, modules, read } = await bundle(join(ROOT, rule.entry), rule.format);
  const packages = checkBundle(name, rule, modules);
  replaceFile(join(ROOT, 'dist', `${name}.js`), code);
  // A file that was edited meanwhile may differ from what was bundled: next time it counts as changed.
  const hashOf = (file: string): string =>
    statSync(join(ROOT, file)).mtimeMs < began ? fileHash(join(ROOT, file)) : 'edited meanwhile';
  const inputs = Object.fromEntries([...COMMON, ...read].map((file) => [file, hashOf(file)]));
  return { bytes: Buffer.byteLength(code), packages, inputs };
}
