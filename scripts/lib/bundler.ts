/**
 * Makes one bundle with rollup, which keeps comments and layout, and says what went into it. Build time only.
 */
import { isBuiltin } from 'node:module';
import { relative } from 'node:path';
import { type OutputChunk, type Plugin, type PreRenderedChunk, type RenderedChunk, type RollupLog, rollup } from 'rollup';
import ts from 'typescript';
import { smallAndQuick } from './builtins.ts';
import type { BundleRule } from './bundles.ts';
import { commonjs, json, nodeResolve } from './plugins.ts';
import { ROOT } from './sources.ts';

export interface BundledModule {
  /** Relative to the repository. */
  readonly file: string;
  /** What is left of it in the bundle. */
  readonly bytes: number;
}

/** One file that is made. */
export interface BundledFile {
  /** Of the file, without `.js`. */
  readonly name: string;
  readonly code: string;
  readonly modules: readonly BundledModule[];
}

export interface Bundle {
  /** The program itself first, then its parts by name. */
  readonly files: readonly BundledFile[];
  /** Every own file that was looked at, relative to the repository. */
  readonly read: readonly string[];
}

/** For packages that still call `require('crypto')`. */
const REQUIRE = "import { createRequire as requireOf } from 'node:module';\nconst require = requireOf(import.meta.url);";

/** By file: most files go into several bundles. */
const stripped = new Map<string, { readonly from: string; readonly code: string }>();

const stripTypes: Plugin = {
  name: 'strip-types',
  transform(from, id) {
    if (!id.endsWith('.ts')) return null;
    const known = stripped.get(id);
    if (known?.from === from) return { code: known.code, map: null };
    const compilerOptions = { target: ts.ScriptTarget.ES2024, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true };
    const code = ts.transpileModule(from, { fileName: id, compilerOptions }).outputText;
    stripped.set(id, { from, code });
    return { code, map: null };
  },
};

/** What is to be made of a program; see BundleRule. */
export interface BundleOptions {
  readonly name: string;
  readonly format?: 'es' | 'cjs';
  readonly parts?: Readonly<Record<string, string>>;
}

/**
 * Bundles the program that begins in `entry` (absolute path) into the text of one ES module (or of one CommonJS module). Only Node's own modules stay
 * imports; modules loaded on first use are part of the file too, unless `parts` names a file for them. Throws for anything the
 * bundler warns of, and when a file comes out that nothing names.
 */
export async function bundle(entry: string, { name, format = 'es', parts }: BundleOptions): Promise<Bundle> {
  const build = await rollup({
    input: { [name]: entry },
    external: isBuiltin,
    plugins: [stripTypes, nodeResolve({ preferBuiltins: true, exportConditions: ['node'] }), commonjs(), json(), smallAndQuick],
    onwarn: (warning) => {
      if (!isOfPackage(warning)) throw new Error(`${relative(ROOT, entry)}: ${warning.message}`);
    },
  });
  const { output } = await build.generate({
    format,
    banner: format === 'es' ? banner : '',
    entryFileNames: '[name].js',
    minifyInternalExports: false, // names between files stay those of the sources
    ...(parts === undefined
      ? { inlineDynamicImports: true }
      : { chunkFileNames: (chunk) => `${partName(name, chunk, parts)}.js` }),
  });
  await build.close();
  const files = output.flatMap((made) => (made.type === 'chunk' ? [bundledFile(made)] : []));
  const read = build.watchFiles.map(fileOf).filter((file) => file !== '' && packageOf(file) === undefined);
  return { files, read };
}

/** The name of the file that holds one of the modules for which there is to be a file. */
function partName(program: string, { moduleIds }: PreRenderedChunk, parts: Readonly<Record<string, string>>): string {
  const named = [...new Set(moduleIds.map((id) => parts[fileOf(id)]).filter((part) => part !== undefined))];
  const [name] = named;
  if (name !== undefined && named.length === 1) return name;
  const held = moduleIds.map(fileOf).filter((file) => file !== '');
  throw new Error(
    `${program}: ${named.join(' and ') || 'no part'} is to hold ${held.slice(0, 3).join(', ')} and ${held.length} in all`,
  );
}

function bundledFile({ fileName, code, modules }: OutputChunk): BundledFile {
  const held = Object.entries(modules).map(([id, module]) => ({ file: fileOf(id), bytes: module.renderedLength }));
  return { name: fileName.replace(/\.js$/, ''), code, modules: held.filter(({ file }) => file !== '') };
}

/** Circles and `this` at top level inside packages are theirs; anything else would be a surprise at run time. */
function isOfPackage(warning: RollupLog): boolean {
  const ids = warning.ids ?? (warning.id === undefined ? [] : [warning.id]);
  const isHarmless = warning.code === 'CIRCULAR_DEPENDENCY' || warning.code === 'THIS_IS_UNDEFINED';
  return isHarmless && ids.length > 0 && ids.every((id) => id.includes('/node_modules/'));
}

function banner(chunk: RenderedChunk): string {
  return Object.keys(chunk.modules).some((id) => id.includes('/node_modules/')) ? REQUIRE : '';
}

/** File of a rollup module id relative to the repository; empty for helpers that the plugins make up. */
function fileOf(id: string): string {
  const path = id.replace(/^\0/, '').replace(/\?.*$/, '');
  return path.startsWith('/') ? relative(ROOT, path) : '';
}

/** Name of the npm package that a file is of, or undefined. */
export function packageOf(file: string): string | undefined {
  return /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1];
}

/** Bytes per npm package in the bundle; throws when the bundle holds what its rule forbids. */
export function checkBundle(name: string, rule: BundleRule, modules: readonly BundledModule[]): Record<string, number> {
  const packages: Record<string, number> = {};
  for (const { file, bytes } of modules) {
    const pack = packageOf(file);
    if (pack !== undefined) packages[pack] = (packages[pack] ?? 0) + bytes;
    if (rule.without.some((folder) => file.startsWith(`${folder}/`))) throw new Error(`${name}.js must not hold ${file}`);
  }
  const foreign = Object.keys(packages).filter((pack) => rule.packages !== undefined && !rule.packages.includes(pack));
  if (foreign.length > 0) throw new Error(`${name}.js must not hold the package ${foreign.join(', ')}`);
  return packages;
}
