/** Proves the resources about hardware, modules, time zone and language, and when root is asked for the memory slots. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_GRANTS, type UserGrants } from '@steward/shared/config/types.ts';
import { StewardError, type ErrorKey } from '@steward/shared/errors.ts';
import { collect, outcomeOf } from '../testing/outcome.ts';
import { DEVICE_RESOURCES, DEVICE_TEMPLATES } from './devices.ts';
import { MODULE_RESOURCES } from './modules.ts';
import type { Resource, ResourceContext } from './resource.ts';
import { TIMEZONE_LOCALE_RESOURCES } from './timezone-locale.ts';

type Answers = Readonly<Record<string, unknown>>;

interface Asked {
  readonly grants?: UserGrants;
  readonly root?: Answers;
  readonly params?: Readonly<Record<string, string>>;
}

/** Reads a resource whose operations answer this, or fail with it. */
async function read(resource: Resource | undefined, local: Answers, asked: Asked = {}): Promise<string> {
  assert.ok(resource !== undefined);
  const answer =
    (answers: Answers): ResourceContext['runLocal'] =>
    (op) => {
      const value = answers[op.name];
      if (value === undefined) throw new Error(`${op.name} was not expected`);
      return value instanceof Error ? Promise.reject(value) : Promise.resolve(outcomeOf(value as never));
    };
  const { mimeType, text } = await resource.read({
    uri: 'devices://x',
    params: asked.params ?? {},
    user: 'alice',
    grants: asked.grants ?? NO_GRANTS,
    runLocal: answer(local),
    runRoot: answer(asked.root ?? {}),
  });
  assert.equal(mimeType, resource.mimeType);
  return collect(text);
}

const byUri = (uri: string): Resource | undefined =>
  [...DEVICE_RESOURCES, ...MODULE_RESOURCES, ...TIMEZONE_LOCALE_RESOURCES].find((resource) => resource.uri === uri);

const failure = (key: ErrorKey, params: Record<string, string> = {}): StewardError => new StewardError(key, params);
const DENIED = failure('read_system', { path: '/sys/firmware/dmi/tables/DMI', reason: 'permission denied', errno: 'EACCES' });
const DMI = { sys_vendor: 'Acme', chassis: { type_code: 23 } };
const MEMORY = { memory_source: 'smbios', memory_devices: [{ handle: 1, serial_number: '4A5B' }] };
const GRANTED: UserGrants = { tools: {}, resources: { 'devices://dmi': ['*'] } };

test('the memory slots: as root with a grant, without one only the rest', async () => {
  const local = { 'resource/dmi': DMI, 'resource/memory-devices': DENIED };
  const none = JSON.parse(await read(byUri('devices://dmi'), local)) as unknown;
  assert.deepEqual(none, { ...DMI, memory_source: 'not_granted', memory_devices: [] });
  const empty: UserGrants = { tools: {}, resources: { 'devices://dmi': [] } };
  assert.match(await read(byUri('devices://dmi'), local, { grants: empty }), /"not_granted"/);
  const root = { 'resource/memory-devices': MEMORY };
  const whole = await read(byUri('devices://dmi'), local, { grants: GRANTED, root });
  assert.equal(whole, JSON.stringify({ ...DMI, ...MEMORY }, null, 2));
});

test('the broker has the last word, and its other failures are told', async () => {
  const local = { 'resource/dmi': DMI, 'resource/memory-devices': DENIED };
  const asRoot = (error: StewardError): Promise<string> =>
    read(byUri('devices://dmi'), local, { grants: GRANTED, root: { 'resource/memory-devices': error } });
  const refused = failure('resource_not_granted', { user: 'alice', uri: 'devices://dmi' });
  assert.match(await asRoot(refused), /"not_granted"/);
  await assert.rejects(asRoot(failure('broker_unavailable')), { key: 'broker_unavailable' });
});

test('a host without a table, and one without any such information', async () => {
  const absent = { memory_source: 'not_available', memory_devices: [] };
  const text = await read(byUri('devices://dmi'), { 'resource/dmi': DMI, 'resource/memory-devices': absent });
  assert.deepEqual(JSON.parse(text), { ...DMI, ...absent });
  const unknown = { 'resource/dmi': failure('dmi_unavailable') };
  await assert.rejects(read(byUri('devices://dmi'), unknown), { message: 'DMI data not available on this system\n' });
});

test('the template gives what the fixed resources give, and knows no other type', async () => {
  const [template] = DEVICE_TEMPLATES;
  const usb = [{ bus_id: '1-1', vendor_id: '0951', product_id: '1666', manufacturer: '', product: '' }];
  const answers = { 'resource/usb': usb, 'resource/pci': [], 'resource/modules': [] };
  assert.equal(await read(template, answers, { params: { type: 'usb' } }), await read(byUri('devices://usb'), answers));
  assert.equal(await read(template, answers, { params: { type: 'pci' } }), '[]');
  for (const type of ['scsi', '', 'usb/', 'USB', 'constructor']) {
    await assert.rejects(async () => read(template, answers, { params: { type } }), {
      code: -32002,
      message: 'unknown resource: devices://x',
    });
  }
  assert.equal(await read(byUri('kernel://modules'), answers), '[]');
  assert.deepEqual(await template?.complete?.['type']?.({} as ResourceContext), ['usb', 'pci', 'dmi']);
});

test('time zones: offsets in hours, the date as in mails', async () => {
  const now = Date.parse('2026-11-20T11:33:02Z') / 1000;
  const text = (name: string, abbreviation: string, offset: number): Promise<string> =>
    read(byUri('system://timezone'), { 'resource/timezone': { name, abbreviation, offset, now } });
  assert.equal(
    await text('Europe/Berlin', 'CET', 3600),
    'Time zone: Europe/Berlin\nAbbreviation: CET\nUTC offset: +1.0\nCurrent local time: Fri, 20 Nov 2026 12:33:02 CET',
  );
  assert.match(
    await text('Asia/Kathmandu', '+0545', 20_700),
    /\nUTC offset: \+5\.75\nCurrent local time: Fri, 20 Nov 2026 17:18:02 \+0545$/,
  );
  assert.match(await text('America/St_Johns', 'NST', -12_600), /\nUTC offset: -3\.5\n/);
  assert.match(await text('Etc/UTC', 'UTC', 0), /\nUTC offset: \+0\.0\n/);
  assert.match(
    await text('Pacific/Kiritimati', '+14', 50_400),
    /\nUTC offset: \+14\.0\nCurrent local time: Sat, 21 Nov 2026 01:33:02 \+14$/,
  );
});

test('language settings', async () => {
  const locale = { source: '/etc/default/locale', settings: ['LANG=de_DE.UTF-8', 'LC_TIME=C'] };
  const text = await read(byUri('system://locale'), { 'resource/locale': locale });
  assert.equal(text, 'Source: /etc/default/locale\nLANG=de_DE.UTF-8\nLC_TIME=C');
  const none = { source: 'environment', settings: [] };
  assert.equal(await read(byUri('system://locale'), { 'resource/locale': none }), 'Source: environment');
});

test('how they are listed', () => {
  const listed = [...TIMEZONE_LOCALE_RESOURCES, ...DEVICE_RESOURCES, ...MODULE_RESOURCES, ...DEVICE_TEMPLATES];
  assert.deepEqual(
    listed.map(({ uri, uriTemplate, name, group, verb }) => `${uri ?? uriTemplate ?? ''} | ${name} | ${group} / ${verb}`),
    [
      'system://timezone | System Timezone | system / timezone',
      'system://locale | System Locale | system / locale',
      'devices://usb | USB Devices | devices / usb',
      'devices://pci | PCI Devices | devices / pci',
      'devices://dmi | DMI Hardware Info | devices / dmi',
      'kernel://modules | Kernel Modules | kernel / modules',
      'devices://{type} | Hardware Devices | devices / get',
    ],
  );
});
