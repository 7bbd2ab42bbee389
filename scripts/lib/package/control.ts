/**
 * The package's control files (deb-control(5), deb-conffiles(5), deb-md5sums(5)) and its maintainer scripts. Build time only.
 */
import { createHash } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../sources.ts';
import { CONFFILES } from './layout.ts';
import { entriesOf, lay } from './stage.ts';

/** Debian's name of this machine's architecture. */
export function debianArchitecture(arch: string = process.arch): string {
  const name = { x64: 'amd64', arm64: 'arm64' }[arch];
  if (name === undefined) throw new Error(`no runtime for ${arch}`);
  return name;
}

function control(version: string, installedKib: number): string {
  return [
    'Package: steward',
    `Version: ${version}`,
    `Architecture: ${debianArchitecture()}`,
    'Maintainer: The steward developers <maintainers@steward.example>',
    `Installed-Size: ${installedKib}`,
    // Of the runtime, as `objdump -p` shows; of the units and the maintainer scripts.
    'Depends: libc6 (>= 2.28), libstdc++6 (>= 8), libgcc-s1, systemd (>= 252), init-system-helpers (>= 1.52)',
    'Recommends: smartmontools, traceroute, cron, e2fsprogs',
    'Section: admin',
    'Priority: optional',
    'Description: administer this host over the Model Context Protocol',
    ' steward lets an AI agent or an administrator inspect and run a Linux host, and',
    ' lets the people who answer for the host prove what it may do as root and what',
    ' it did.',
    ' .',
    ' A frontend without privileges faces the network; a small broker runs as root,',
    ' does only what one table and the grants of the caller allow, and records every',
    ' privileged step before it happens.',
    '',
  ].join('\n');
}

/** Writes DEBIAN/ into the stage. */
export function writeControl(stage: string, version: string): void {
  const files = entriesOf(stage).filter((path) => lstatSync(join(stage, path)).isFile());
  const bytes = files.reduce((sum, path) => sum + lstatSync(join(stage, path)).size, 0);
  const sums = files
    .filter((path) => !CONFFILES.includes(path))
    .map(
      (path) =>
        `${createHash('md5')
          .update(readFileSync(join(stage, path)))
          .digest('hex')}  ${path.slice(1)}\n`,
    );
  lay(stage, 'DEBIAN/control', control(version, Math.ceil(bytes / 1024)), 0o644);
  lay(stage, 'DEBIAN/conffiles', CONFFILES.map((path) => `${path}\n`).join(''), 0o644);
  lay(stage, 'DEBIAN/md5sums', sums.join(''), 0o644);
  for (const script of ['postinst', 'prerm', 'postrm']) {
    lay(stage, `DEBIAN/${script}`, readFileSync(join(ROOT, 'packaging/debian', script)), 0o755);
  }
}
