/**
 * What of others is inside the package: the runtime and the npm packages that the shipped bundles hold, with version and licence.
 * Taken from the report of the build, so it names what is there and not what is installed beside it. Build time only.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../sources.ts';
import type { Built } from '../build-one.ts';
import { BUNDLES } from './layout.ts';

export interface Component {
  readonly name: string;
  readonly version: string;
  /** SPDX identifier as its own manifest gives it. */
  readonly licence: string;
  /** The licence's text; of a package that ships none, what its manifest says. */
  readonly text: string;
  /** The shipped programs that hold it. */
  readonly programs: readonly string[];
}

interface Manifest {
  readonly version: string;
  readonly license?: string;
  readonly author?: string | { readonly name: string };
}

/** npm's package of the runtime for this machine. */
export function runtimePackage(arch: string = process.arch): string {
  return `node-linux-${arch}`;
}

/** Every component, by name. Throws for one without a licence. */
export function components(): readonly Component[] {
  const report = JSON.parse(readFileSync(join(ROOT, 'dist/report.json'), 'utf8')) as Readonly<Record<string, Built>>;
  const programs = new Map<string, string[]>();
  for (const [file, { packages }] of BUNDLES.flatMap((bundle) => Object.entries(report[bundle]?.files ?? {}))) {
    for (const name of Object.keys(packages)) programs.set(name, [...(programs.get(name) ?? []), `${file}.js`]);
  }
  programs.set(runtimePackage(), ['node']);
  return [...programs].map(([name, of]) => component(name, of)).sort((a, b) => (a.name < b.name ? -1 : 1));
}

function component(name: string, programs: readonly string[]): Component {
  const directory = join(ROOT, 'node_modules', name);
  const manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest;
  if (manifest.license === undefined) throw new Error(`${name} names no licence`);
  const files = readdirSync(directory).filter((file) => /^(licen[cs]e|copying|notice|copyrightnotice)/i.test(file));
  const text = files.sort().map((file) => readFileSync(join(directory, file), 'utf8').trimEnd());
  const author = typeof manifest.author === 'string' ? manifest.author : (manifest.author?.name ?? 'its authors');
  return {
    name,
    version: manifest.version,
    licence: manifest.license,
    text:
      text.length > 0 ? text.join('\n\n') : `Licence ${manifest.license}, by ${author}; the package ships no text of its own.`,
    programs,
  };
}
