/** Behind `devices://dmi`: what the firmware tells every account of this machine. */
import { readDmi, type DmiInfo } from '../../host/hardware/dmi.ts';
import type { ObjectSchema, Schema } from '../../schema.ts';
import { NOTHING } from '../../schema.ts';
import { operation } from '../operation.ts';

const text = { type: 'string' } as const;

function closed(properties: Readonly<Record<string, Schema>>): ObjectSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

export const devicesDmi = operation<Record<never, never>, DmiInfo>({
  name: 'resource/dmi',
  args: NOTHING,
  kind: 'value',
  result: closed({
    sys_vendor: text,
    product_name: text,
    product_version: text,
    bios_version: text,
    bios_date: text,
    board_name: text,
    board_vendor: text,
    bios: closed({ vendor: text, version: text, date: text, release: text }),
    chassis: closed({ vendor: text, type: text, type_code: { type: 'integer', minimum: 0 }, version: text }),
  }),
  where: 'loop',
  run: (_args, context) => readDmi(context.root),
});
