/** The read behind `service://{name}/status`: one unit with its states and its file. Changes nothing. */
import { StewardError } from '../../errors.ts';
import { propertyOf, showUnit } from '../../host/systemd/show.ts';
import { unitName } from '../../host/systemd/unit-names.ts';
import type { Static } from '../../schema.ts';
import { operation } from '../operation.ts';

/** Asked of systemd for one unit. */
export const STATUS_PROPERTIES = ['Id', 'Description', 'LoadState', 'ActiveState', 'SubState', 'FragmentPath'] as const;

const args = {
  type: 'object',
  properties: { name: { type: 'string', maxLength: 1024 } },
  required: ['name'],
  additionalProperties: false,
} as const;

const text = { type: 'string' } as const;
const result = {
  type: 'object',
  properties: { name: text, description: text, load_state: text, active_state: text, sub_state: text, fragment_path: text },
  required: ['name', 'description', 'load_state', 'active_state', 'sub_state', 'fragment_path'],
  additionalProperties: false,
} as const;

export const serviceStatus = operation<Static<typeof args>, Static<typeof result>>({
  name: 'resource/service-status',
  args,
  kind: 'value',
  result,
  where: 'loop',
  async run({ name }, { programs, signal }) {
    const unit = await showUnit({ programs, signal, properties: STATUS_PROPERTIES, unit: nameOf(name) });
    if (propertyOf(unit, 'LoadState') === 'not-found') throw new StewardError('service_not_found', { name });
    return {
      name: propertyOf(unit, 'Id'),
      description: propertyOf(unit, 'Description'),
      load_state: propertyOf(unit, 'LoadState'),
      active_state: propertyOf(unit, 'ActiveState'),
      sub_state: propertyOf(unit, 'SubState'),
      fragment_path: propertyOf(unit, 'FragmentPath'),
    };
  },
});

/** A name that no unit can have names no service. */
function nameOf(name: string): string {
  try {
    return unitName(name);
  } catch (error) {
    throw new StewardError('service_not_found', { name }, { cause: error });
  }
}
