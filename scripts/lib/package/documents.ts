/**
 * The documents that are made with the package: copyright file with every licence inside, bill of materials, digests of the
 * runtime. Equal input gives equal bytes. Build time only.
 *
 * Formats: Debian's machine-readable copyright file 1.0; CycloneDX 1.6 (ECMA-424).
 */
import type { Component } from './inside.ts';

/** Text as the value of a field of Debian control data: indented, empty lines as a dot. */
function asField(text: string): string {
  return text
    .split('\n')
    .map((line) => (line.trim() === '' ? ' .' : ` ${line.trimEnd()}`))
    .join('\n');
}

/** Nothing but the well-known text, which every Debian has once. */
const isApache = (text: string): boolean => /^\s*Apache License\s+Version 2\.0/.test(text);

/** debian/copyright. `own`: the project's own licence text. */
export function copyrightFile(components: readonly Component[], own: string): string {
  const head = [
    'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/',
    'Upstream-Name: steward',
    'Comment: Programs below /usr/lib/steward are bundles; each holds the npm packages that are named below with their licences.',
    '',
    'Files: *',
    'Copyright: the authors of steward',
    'License: Apache-2.0',
    ' On Debian systems the full text is in /usr/share/common-licenses/Apache-2.0.',
  ];
  const others = components.map(({ name, version, licence, text, programs }) =>
    [
      '',
      `Files: ${programs.map((program) => `usr/lib/steward/${program}`).join(' ')}`,
      `Copyright: the authors of ${name} ${version}; see its licence`,
      `License: ${licence.replaceAll(' ', '-')}-of-${name.replaceAll(/[^A-Za-z0-9.]+/g, '-')}`,
      asField(isApache(text) ? ' On Debian systems the full text is in /usr/share/common-licenses/Apache-2.0.' : text),
    ].join('\n'),
  );
  if (!own.includes('Apache License')) throw new Error('the licence of the project is not the one that its copyright file names');
  return `${[...head, ...others].join('\n')}\n`;
}

/** The bill of materials. `epoch`: seconds since 1970 that stand for the time of the build. */
export function billOfMaterials(components: readonly Component[], version: string, epoch: number): string {
  const entries = components.map((component) => ({
    type: component.programs.includes('node') ? 'platform' : 'library',
    'bom-ref': `pkg:npm/${component.name.replace('@', '%40')}@${component.version}`,
    name: component.name,
    version: component.version,
    licenses: [{ license: { id: component.licence } }],
    purl: `pkg:npm/${component.name.replace('@', '%40')}@${component.version}`,
    properties: component.programs.map((program) => ({ name: 'steward:program', value: program })),
  }));
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      timestamp: new Date(epoch * 1000).toISOString(),
      component: { type: 'application', 'bom-ref': `steward@${version}`, name: 'steward', version },
    },
    components: entries,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
