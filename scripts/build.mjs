/**
 * Bundles each program into one unminified file (or a few, named ones) with its comments, so that a production host needs no
 * node_modules and an auditor reads what runs. Reports packages and bytes per file (dist/report.json) and refuses a bundle that holds what it must not.
 *
 *   node scripts/build.mjs [NAME...]     all bundles, or those named; a bundle whose inputs did not change is left as it is
 */
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { BUNDLES, filesOf } from './lib/bundles.ts';
import { slicesModule } from './lib/slices.ts';
import { ROOT, fileHash, replaceFile } from './lib/sources.ts';

const DIST = join(ROOT, 'dist');
const REPORT = join(DIST, 'report.json');
/** More would take more memory than they save time. */
const MOST_WORKERS = 4;

/** @returns {Record<string, import('./lib/build-one.ts').Built>} */
function lastReport() {
  try {
    return JSON.parse(readFileSync(REPORT, 'utf8'));
  } catch {
    return {};
  }
}

/** True when the bundle is there and nothing that went into it changed. */
function isCurrent(name, entry) {
  if (entry?.files === undefined || !filesOf(name).every((file) => existsSync(join(DIST, `${file}.js`)))) return false;
  return Object.entries(entry.inputs).every(([file, hash]) => fileHash(join(ROOT, file)) === hash);
}

/** Builds bundles on several processors; each is reported when it is there. */
async function build(names) {
  const waiting = [...names];
  const lane = async () => {
    const worker = new Worker(new URL('./lib/build-worker.ts', import.meta.url));
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      worker.postMessage(name);
      [report[name]] = await once(worker, 'message');
      print(name, 'built');
    }
    await worker.terminate();
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), MOST_WORKERS, names.length) }, lane));
}

/** Before the programs that load it are bundled; they are built anew only when it changed. */
function writeSlice(sha256) {
  const file = join(ROOT, 'shared/src/generated/slices.ts');
  const text = slicesModule(sha256);
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) replaceFile(file, text);
}

/** One line for each file. Few packages by name; all of them with their bytes are in the report. */
function print(name, state) {
  for (const [file, { bytes, packages }] of Object.entries(report[name].files)) {
    const held = Object.keys(packages);
    const shown = held.length > 3 ? `${held.length} packages` : held.join(', ') || 'no packages';
    console.log(`${`${file}.js`.padEnd(21)} ${String(Math.ceil(bytes / 1024)).padStart(5)} KiB  ${state.padEnd(8)} ${shown}`);
  }
}

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(BUNDLES);
const unknown = names.filter((name) => !Object.hasOwn(BUNDLES, name));
if (unknown.length > 0) {
  console.error(`unknown bundle: ${unknown.join(', ')} (there are ${Object.keys(BUNDLES).join(', ')})`);
  process.exit(2);
}
mkdirSync(DIST, { recursive: true, mode: 0o755 });
// Node looks for the module type beside the file, and otherwise in every directory above it.
replaceFile(join(DIST, 'package.json'), '{"type":"module"}\n');
const report = lastReport();
for (const wave of [names.filter((name) => BUNDLES[name].slice), names.filter((name) => !BUNDLES[name].slice)]) {
  const current = wave.filter((name) => isCurrent(name, report[name]));
  for (const name of current) print(name, 'current');
  await build(wave.filter((name) => !current.includes(name)));
  for (const name of wave) if (BUNDLES[name].slice) writeSlice(fileHash(join(DIST, `${name}.js`)));
}
const known = Object.fromEntries(Object.keys(BUNDLES).flatMap((name) => (report[name] ? [[name, report[name]]] : [])));
replaceFile(REPORT, `${JSON.stringify(known, null, 2)}\n`);
