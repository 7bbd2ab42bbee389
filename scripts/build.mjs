/**
 * Bundles each program into one unminified file with its comments, so that a production host needs no node_modules and an
 * auditor reads what runs. Reports packages and bytes per bundle (dist/report.json) and refuses a bundle that holds what it must not.
 *
 *   node scripts/build.mjs [NAME...]     all bundles, or those named; a bundle whose inputs did not change is left as it is
 */
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUNDLES } from './lib/bundles.ts';
import { slicesModule } from './lib/slices.ts';
import { ROOT, fileHash } from './lib/sources.ts';

const DIST = join(ROOT, 'dist');
const REPORT = join(DIST, 'report.json');
/** Inputs that every bundle has beside its own modules. */
const COMMON = [
  'package-lock.json',
  'scripts/build.mjs',
  'scripts/lib/bundles.ts',
  'scripts/lib/bundler.ts',
  'scripts/lib/plugins.ts',
];

/** @returns {Record<string, {bytes: number, packages: Record<string, number>, inputs: Record<string, string>}>} */
function lastReport() {
  try {
    return JSON.parse(readFileSync(REPORT, 'utf8'));
  } catch {
    return {};
  }
}

/** True when the bundle is there and nothing that went into it changed. */
function isCurrent(name, entry) {
  if (entry === undefined || !existsSync(join(DIST, `${name}.js`))) return false;
  return Object.entries(entry.inputs).every(([file, hash]) => fileHash(join(ROOT, file)) === hash);
}

/** Replaces a file at once, so that a process that starts meanwhile reads the old or the new one. */
function write(file, text) {
  writeFileSync(`${file}.new`, text, { mode: 0o644 });
  renameSync(`${file}.new`, file);
}

async function build(name, rule) {
  const { bundle, checkBundle } = await import('./lib/bundler.ts');
  const began = Date.now();
  const { code, modules, read } = await bundle(join(ROOT, rule.entry), rule.format);
  const packages = checkBundle(name, rule, modules);
  write(join(DIST, `${name}.js`), code);
  // A file that was edited meanwhile may differ from what was bundled: next time it counts as changed.
  const hashOf = (file) => (statSync(join(ROOT, file)).mtimeMs < began ? fileHash(join(ROOT, file)) : 'edited meanwhile');
  const inputs = Object.fromEntries([...COMMON, ...read].map((file) => [file, hashOf(file)]));
  return { bytes: Buffer.byteLength(code), packages, inputs };
}

/** Before the programs that load it are bundled; they are built anew only when it changed. */
function writeSlice(sha256) {
  const file = join(ROOT, 'shared/src/generated/slices.ts');
  const text = slicesModule(sha256);
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) write(file, text);
}

/** Few packages by name; all of them with their bytes are in the report. */
function line(name, entry, state) {
  const packages = Object.keys(entry.packages);
  const shown = packages.length > 3 ? `${packages.length} packages` : packages.join(', ') || 'no packages';
  return `${`${name}.js`.padEnd(20)} ${String(Math.ceil(entry.bytes / 1024)).padStart(5)} KiB  ${state.padEnd(8)} ${shown}`;
}

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(BUNDLES);
const unknown = names.filter((name) => !Object.hasOwn(BUNDLES, name));
if (unknown.length > 0) {
  console.error(`unknown bundle: ${unknown.join(', ')} (there are ${Object.keys(BUNDLES).join(', ')})`);
  process.exit(2);
}
mkdirSync(DIST, { recursive: true, mode: 0o755 });
// Node looks for the module type beside the file, and otherwise in every directory above it.
write(join(DIST, 'package.json'), '{"type":"module"}\n');
const report = lastReport();
for (const name of names) {
  const current = isCurrent(name, report[name]);
  if (!current) report[name] = await build(name, BUNDLES[name]);
  if (BUNDLES[name].slice) writeSlice(fileHash(join(DIST, `${name}.js`)));
  console.log(line(name, report[name], current ? 'current' : 'built'));
}
const known = Object.fromEntries(Object.keys(BUNDLES).flatMap((name) => (report[name] ? [[name, report[name]]] : [])));
write(REPORT, `${JSON.stringify(known, null, 2)}\n`);
