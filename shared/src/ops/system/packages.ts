/** What is installed, from the package databases of dpkg or apk, by name. Starts no program. */
import { checkAbort } from '../../abort.ts';
import { compileGlob } from '../../host/glob.ts';
import { findPackageDatabase } from '../../host/packages/installed.ts';
import type { InstalledPackage } from '../../host/packages/package.ts';
import type { Static } from '../../schema.ts';
import { operation } from '../operation.ts';

const args = {
  type: 'object',
  properties: { name: { type: 'string', maxLength: 256, description: 'exact or glob' } },
  required: [],
  additionalProperties: false,
} as const;

const result = {
  type: 'object',
  properties: { database: { type: 'string', enum: ['dpkg', 'apk'] }, count: { type: 'integer', minimum: 0 } },
  required: ['database', 'count'],
  additionalProperties: false,
} as const;

const text = { type: 'string' } as const;

export const systemPackages = operation<Static<typeof args>, Static<typeof result>, InstalledPackage>({
  name: 'system/packages',
  args,
  kind: 'records',
  result,
  record: {
    type: 'object',
    properties: { name: text, version: text, architecture: text },
    required: ['name', 'version', 'architecture'],
    additionalProperties: false,
  },
  where: 'worker',
  async run({ name }, context) {
    const wanted = name === undefined ? undefined : compileGlob(name);
    const database = findPackageDatabase(context.root);
    const installed = database.read(() => checkAbort(context.signal));
    const chosen = wanted === undefined ? installed : installed.filter(({ name: one }) => wanted(one));
    for (const one of chosen) {
      const sent = context.emit(one);
      if (sent !== undefined) await sent;
    }
    return { database: database.kind, count: chosen.length };
  },
});
