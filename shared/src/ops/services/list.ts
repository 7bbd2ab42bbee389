/** Loaded systemd services with their states. Public on most hosts; as root for those where it is not. Changes nothing. */
import { simpleGlob } from '../../config/match.ts';
import { propertyOf, showUnits, type UnitProperties } from '../../host/systemd/show.ts';
import { NOTHING, type Static } from '../../schema.ts';
import { operation } from '../operation.ts';

/** Asked of systemd for every service. */
export const SERVICE_PROPERTIES = ['Id', 'Description', 'LoadState', 'ActiveState', 'SubState'] as const;

const filter = { type: 'string', maxLength: 255 } as const;
const args = {
  type: 'object',
  properties: {
    pattern: { ...filter, description: 'glob on the full unit name' },
    active_state: { ...filter, description: 'e.g. active, failed' },
    load_state: filter,
    sub_state: filter,
  },
  required: [],
  additionalProperties: false,
} as const;

const text = { type: 'string' } as const;
const record = {
  type: 'object',
  properties: { active_state: text, description: text, load_state: text, name: text, sub_state: text },
  required: ['active_state', 'description', 'load_state', 'name', 'sub_state'],
  additionalProperties: false,
} as const;
export type ServiceRecord = Static<typeof record>;

export const servicesList = operation<Static<typeof args>, Static<typeof NOTHING>, ServiceRecord>({
  name: 'services/list',
  args,
  kind: 'records',
  result: NOTHING,
  record,
  where: 'loop',
  async run({ pattern, active_state, load_state, sub_state }, context) {
    const { programs, signal } = context;
    const units = await showUnits({ programs, signal, properties: SERVICE_PROPERTIES, unit: '*.service', all: true });
    const chosen = units
      .map(recordOf)
      .filter((unit) => pattern === undefined || simpleGlob(pattern, unit.name))
      .filter((unit) => active_state === undefined || unit.active_state === active_state)
      .filter((unit) => load_state === undefined || unit.load_state === load_state)
      .filter((unit) => sub_state === undefined || unit.sub_state === sub_state)
      .sort(byName);
    for (const unit of chosen) await context.emit(unit);
    return {};
  },
});

function recordOf(unit: UnitProperties): ServiceRecord {
  return {
    active_state: propertyOf(unit, 'ActiveState'),
    description: propertyOf(unit, 'Description'),
    load_state: propertyOf(unit, 'LoadState'),
    name: propertyOf(unit, 'Id'),
    sub_state: propertyOf(unit, 'SubState'),
  };
}

/** By bytes: names of units are ASCII. */
export function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
