/**
 * Builds the Debian package from what `make build` made: dist/steward_VERSION_ARCH.deb. Two builds of one commit are equal, byte
 * for byte. Needs dpkg-deb and strip.
 *
 *   node scripts/deb.ts [--fast] [--version V] [--output DIR]      --fast: compressed less, for tests
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { debianArchitecture, writeControl } from './lib/package/control.ts';
import { billOfMaterials, copyrightFile } from './lib/package/documents.ts';
import { components } from './lib/package/inside.ts';
import { MADE, RUNTIME_PATH } from './lib/package/layout.ts';
import { shipRuntime } from './lib/package/runtime.ts';
import { lay, layOut, settle } from './lib/package/stage.ts';
import { ROOT } from './lib/sources.ts';

interface Options {
  readonly version: string;
  readonly output: string;
  /** Further arguments of dpkg-deb. */
  readonly compression: readonly string[];
}

function options(): Options {
  const { values } = parseArgs({
    options: { fast: { type: 'boolean' }, version: { type: 'string' }, output: { type: 'string' } },
  });
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  return {
    version: values.version ?? manifest.version,
    output: resolve(values.output ?? join(ROOT, 'dist')),
    compression: values.fast === true ? ['-Zxz', '-z1'] : ['-Zxz'],
  };
}

/** Seconds since 1970 that stand for the time of the build: SOURCE_DATE_EPOCH, or the time of the commit. */
function epoch(): number {
  const given = process.env['SOURCE_DATE_EPOCH'];
  return Number(given ?? execFileSync('git', ['-C', ROOT, 'log', '-1', '--format=%ct'], { encoding: 'utf8' }));
}

function fill(stage: string, version: string, time: number): void {
  const inside = components();
  layOut(stage);
  lay(stage, MADE.copyright, copyrightFile(inside, readFileSync(join(ROOT, 'LICENSE'), 'utf8')), 0o644);
  lay(stage, MADE.sbom, billOfMaterials(inside, version, time), 0o644);
  lay(stage, RUNTIME_PATH, '', 0o755);
  lay(stage, MADE.runtime, shipRuntime(join(stage, RUNTIME_PATH)), 0o644);
  writeControl(stage, version);
  settle(stage, time);
}

function build({ version, output, compression }: Options): string {
  const stage = mkdtempSync(join(tmpdir(), 'steward-deb-'));
  const file = join(output, `steward_${version}_${debianArchitecture()}.deb`);
  const time = epoch();
  try {
    fill(stage, version, time);
    const env = { ...process.env, SOURCE_DATE_EPOCH: String(time) };
    execFileSync('dpkg-deb', [...compression, '--root-owner-group', '--build', stage, file], { env, stdio: 'pipe' });
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
  return file;
}

process.umask(0o022);
console.log(build(options()));
