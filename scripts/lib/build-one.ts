/** Builds one bundle and says what went into it. Build time only. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { bundle, checkBundle } from './bundler.ts';
import { BUNDLES } from './bundles.ts';
import { ROOT, fileHash, replaceFile } from './sources.ts';

/** What the report says of one file. */
export interface BuiltFile {
  readonly bytes: number;
  /** Bytes by npm package. */
  readonly packages: Readonly<Record<string, number>>;
}

/** What the report says of a program. */
export interface Built {
  /** By name without `.js`: the program's own file first, then its parts. */
  readonly files: Readonly<Record<string, BuiltFile>>;
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

/** Builds dist/<name>.js and its parts. Throws when it would hold what its rule forbids. */
export async function buildOne(name: string): Promise<Built> {
  const rule = BUNDLES[name];
  if (rule === undefined) throw new Error(`unknown bundle: ${name}`);
  const began = Date.now();
  const { files, read } = await bundle(join(ROOT, rule.entry), { name, ...rule });
  const built = files.map(({ name: file, code, modules }): [string, BuiltFile] => [
    file,
    { bytes: Buffer.byteLength(code), packages: checkBundle(file, rule, modules) },
  ]);
  for (const { name: file, code } of files) replaceFile(join(ROOT, 'dist', `${file}.js`), code);
  // A file that was edited meanwhile may differ from what was bundled: next time it counts as changed.
  const hashOf = (file: string): string =>
    statSync(join(ROOT, file)).mtimeMs < began ? fileHash(join(ROOT, file)) : 'edited meanwhile';
  const inputs = Object.fromEntries([...COMMON, ...read].map((file) => [file, hashOf(file)]));
  return { files: Object.fromEntries(built), inputs };
}
