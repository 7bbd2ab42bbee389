/**
 * What the Debian package holds and where: one line a file or folder. What is not here is not shipped. Build time only.
 */

import { filesOf } from '../bundles.ts';

export interface Placed {
  /** Relative to the repository; a folder stands for the files directly in it. */
  readonly from: string;
  /** Absolute path on the host; of a folder, the folder they go to. */
  readonly to: string;
  readonly mode: number;
  /** Compressed as Debian wants manual pages and changelogs. */
  readonly gzip?: true;
  /** Of a folder: only files with this ending. */
  readonly ending?: string;
}

const LIB = '/usr/lib/steward';
const DOC = '/usr/share/doc/steward';

/** The programs of dist/; `run` is for a checkout only. */
export const BUNDLES = [
  ...['broker', 'broker-docker', 'broker-worker', 'frontend', 'frontend-worker', 'launcher', 'certs', 'stewardctl'],
  'audit-rotate',
];

export const LAYOUT: readonly Placed[] = [
  ...BUNDLES.flatMap(filesOf).map((name) => ({ from: `dist/${name}.js`, to: `${LIB}/${name}.js`, mode: 0o644 })),
  { from: 'dist/package.json', to: `${LIB}/package.json`, mode: 0o644 },
  { from: 'packaging/debian/stewardctl', to: '/usr/bin/stewardctl', mode: 0o755 },
  { from: 'packaging/daemon.yaml', to: '/etc/steward/daemon.yaml', mode: 0o640 },
  { from: 'packaging/users.yaml', to: '/etc/steward/users.yaml', mode: 0o600 },
  { from: 'packaging/grants.yaml', to: '/etc/steward/grants.yaml', mode: 0o600 },
  { from: 'systemd', to: '/usr/lib/systemd/system', mode: 0o644, ending: '.service' },
  { from: 'systemd', to: '/usr/lib/systemd/system', mode: 0o644, ending: '.socket' },
  { from: 'systemd', to: '/usr/lib/systemd/system', mode: 0o644, ending: '.timer' },
  { from: 'systemd/sysusers.conf', to: '/usr/lib/sysusers.d/steward.conf', mode: 0o644 },
  { from: 'systemd/tmpfiles.conf', to: '/usr/lib/tmpfiles.d/steward.conf', mode: 0o644 },
  { from: 'systemd/drop-ins', to: '/usr/share/steward/drop-ins', mode: 0o644, ending: '.conf' },
  ...['1', '5', '8'].map((section) => ({
    from: `dist/man/man${section}`,
    to: `/usr/share/man/man${section}`,
    mode: 0o644,
    ending: `.${section}`,
    gzip: true as const,
  })),
  { from: 'dist/completion/stewardctl.bash', to: '/usr/share/bash-completion/completions/stewardctl', mode: 0o644 },
  { from: 'dist/completion/_stewardctl', to: '/usr/share/zsh/vendor-completions/_stewardctl', mode: 0o644 },
  { from: 'dist/completion/stewardctl.fish', to: '/usr/share/fish/vendor_completions.d/stewardctl.fish', mode: 0o644 },
  { from: 'README.md', to: `${DOC}/README.md`, mode: 0o644 },
  { from: 'SECURITY.md', to: `${DOC}/SECURITY.md`, mode: 0o644 },
  { from: 'docs', to: DOC, mode: 0o644, ending: '.md' },
  { from: 'packaging/debian/changelog', to: `${DOC}/changelog.gz`, mode: 0o644, gzip: true },
  { from: 'packaging/debian/lintian-overrides', to: '/usr/share/lintian/overrides/steward', mode: 0o644 },
];

/** Where the runtime goes; see runtime.ts. */
export const RUNTIME_PATH = `${LIB}/node`;
/** Documents that are made with the package; see contents.ts. */
export const MADE = { copyright: `${DOC}/copyright`, sbom: `${DOC}/sbom.cdx.json`, runtime: `${DOC}/runtime.sha256` };

/** Directories whose mode is not 0755. */
export const DIRECTORY_MODES: Readonly<Record<string, number>> = { '/etc/steward': 0o750 };

/** Files that the administrator owns: an upgrade asks before it replaces a changed one. */
export const CONFFILES = LAYOUT.map(({ to }) => to).filter((path) => path.startsWith('/etc/'));
