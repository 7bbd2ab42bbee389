/** Proves the reading of SMBIOS tables: three kinds of machines, every wrong table, and dmidecode as the judge. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { devicesMemory } from '../../ops/devices/memory.ts';
import { failsWith, testContext } from '../../testing/context.ts';
import { without } from '../../testing/programs.ts';
import { misfit } from '../../testing/schema.ts';
import { printed } from '../../testing/truth.ts';
import { dumpOf, END_OF_TABLE, LAPTOP_TABLE, SERVER_TABLE, structure, VIRTUAL_TABLE } from '../../testing/smbios.ts';
import { random, withDirectory } from '../../testing/tree.ts';
import { memoryDeviceOf, readMemoryDevices, type MemoryDevice } from './memory-devices.ts';
import { parseSmbios } from './smbios.ts';

const GIB = 1024 ** 3;

function devicesIn(table: Buffer): MemoryDevice[] | undefined {
  return parseSmbios(table)
    ?.filter(({ type }) => type === 17)
    .map(memoryDeviceOf);
}

/** A table with one memory device. */
function device(fields: string, length = 0x5c, strings: readonly string[] = []): MemoryDevice {
  const [found] = devicesIn(Buffer.concat([structure(17, 0x1100, length, fields, strings), END_OF_TABLE])) ?? [];
  assert.ok(found !== undefined);
  return found;
}

test('a server: sizes over 32 GiB, blanks around strings, an empty slot', () => {
  const [first, second, empty] = devicesIn(SERVER_TABLE) ?? [];
  assert.deepEqual(first, {
    handle: 0x1100,
    locator: 'A1',
    bank_locator: '',
    populated: true,
    size_bytes: 64 * GIB,
    form_factor: 'DIMM',
    type: 'DDR4',
    type_detail: ['Synchronous', 'LRDIMM'],
    total_width_bits: 72,
    data_width_bits: 64,
    speed_mts: 3200,
    configured_speed_mts: 2933,
    rank: 4,
    min_voltage_mv: 1200,
    max_voltage_mv: 1200,
    configured_voltage_mv: 1200,
    technology: 'DRAM',
    manufacturer: 'Hynix',
    serial_number: '4A5B6C7D',
    asset_tag: '0F1E',
    part_number: 'HMAA8GL7AMR4N-VK',
  });
  assert.equal(second?.locator, 'A2');
  assert.deepEqual(empty, {
    handle: 0x1102,
    locator: 'A3',
    bank_locator: '',
    populated: false,
    size_bytes: 0,
    form_factor: 'DIMM',
    type: 'Unknown',
    type_detail: ['Unknown'],
    technology: 'Unknown',
    manufacturer: '',
    serial_number: '',
    asset_tag: '',
    part_number: '',
  });
});

test('a laptop: speeds in the extended fields', () => {
  const [first] = devicesIn(LAPTOP_TABLE) ?? [];
  assert.deepEqual(
    [first?.type, first?.form_factor, first?.size_bytes, first?.speed_mts, first?.configured_speed_mts, first?.rank],
    ['LPDDR5', 'Row of chips', 8 * GIB, 70_000, 68_000, 1],
  );
});

test('a virtual machine: what a short structure does not hold is absent', () => {
  const [ram, rom] = devicesIn(VIRTUAL_TABLE) ?? [];
  assert.equal(ram?.size_bytes, 4 * GIB);
  assert.ok(ram !== undefined && !('total_width_bits' in ram) && !('technology' in ram) && !('rank' in ram));
  assert.deepEqual(rom, {
    handle: 0x1101,
    locator: 'FLASH',
    bank_locator: '',
    populated: true,
    size_bytes: 512 * 1024,
    form_factor: 'Chip',
    type: 'FLASH',
    type_detail: ['Non-volatile'],
    total_width_bits: 8,
    data_width_bits: 8,
  });
});

test('sizes and codes at their limits', () => {
  assert.deepEqual(device('0cwffff').populated, true);
  assert.ok(!('size_bytes' in device('0cwffff')));
  assert.equal(device('0cw7fff 1cd80010000').size_bytes, 64 * GIB, 'the highest bit is reserved');
  assert.ok(!('size_bytes' in device('0cw7fff', 0x1b)));
  assert.equal(device('0cw7ffe').size_bytes, 0x7ffe * 1024 * 1024);
  assert.equal(device('0cw8001').size_bytes, 1024);
  assert.deepEqual(
    [device('12b18').type, device('12b24').type, device('12b15').type, device('12bfe').type, device('').type],
    ['DDR3', 'HBM3', '0x15', '0xFE', '0x00'],
  );
  assert.deepEqual(
    [device('0eb10').form_factor, device('0eb11').form_factor, device('0eb40').form_factor],
    ['Die', 'CAMM', '0x40'],
  );
  assert.deepEqual(device('13wffff').type_detail?.length, 15);
  assert.equal(device('28b4').technology, 'NVDIMM-N');
  assert.equal(device('10b9', 0x5c, ['only one']).locator, '', 'a number without a string');
  assert.equal(device('1bbf2').rank, 2);
  assert.ok(!('speed_mts' in device('15wffff', 0x28)), 'the extended field is not there');
});

test('a table that is cut anywhere is none or a part, and never a failure', () => {
  for (const table of [SERVER_TABLE, LAPTOP_TABLE, VIRTUAL_TABLE]) {
    const whole = devicesIn(table) ?? [];
    for (let length = 0; length < table.length; length++) {
      const devices = devicesIn(table.subarray(0, length));
      if (devices !== undefined) assert.deepEqual(devices, whole.slice(0, devices.length), String(length));
    }
    assert.equal(
      devicesIn(table.subarray(0, table.length - END_OF_TABLE.length))?.length,
      whole.length,
      'no end-of-table structure',
    );
  }
});

test('malformed tables are none', () => {
  const bad = (type: number, length: number, rest: string): Buffer => Buffer.from([type, length, 0, 0, ...Buffer.from(rest)]);
  assert.equal(parseSmbios(Buffer.alloc(0)), undefined);
  assert.equal(parseSmbios(Buffer.alloc(64)), undefined);
  assert.equal(parseSmbios(bad(17, 3, '\0\0')), undefined);
  assert.equal(parseSmbios(bad(17, 200, '\0\0')), undefined);
  assert.equal(parseSmbios(bad(17, 4, 'never ends')), undefined);
  assert.deepEqual(parseSmbios(END_OF_TABLE), []);
  assert.deepEqual(devicesIn(Buffer.concat([END_OF_TABLE, Buffer.from('rubbish behind the end')])), []);
});

test('tables with wrong bytes never make the reader fail', () => {
  const next = random(1);
  for (let round = 0; round < 2000; round++) {
    const table = Buffer.from(SERVER_TABLE);
    for (let change = 0; change < 8; change++) table[Math.floor(next() * table.length)] = Math.floor(next() * 256);
    for (const one of devicesIn(table) ?? []) assert.equal(typeof one.handle, 'number');
  }
});

async function withTable<T>(table: Buffer | undefined, use: (root: string, file: string) => Promise<T>): Promise<T> {
  return withDirectory(async (root) => {
    const file = join(root, 'sys/firmware/dmi/tables/DMI');
    mkdirSync(dirname(file), { recursive: true });
    if (table !== undefined) writeFileSync(file, table);
    return use(root, file);
  });
}

test('the operation: what there is, what there is not, and what is too long', async () => {
  await withTable(SERVER_TABLE, async (root, file) => {
    const found = await devicesMemory.run({}, testContext({ root }));
    assert.deepEqual([found.memory_source, found.memory_devices.length], ['smbios', 3]);
    assert.equal(misfit(devicesMemory.result, found), undefined);
    assert.ok(!JSON.stringify(found).includes('SECRET-SERIAL'), 'of the machine itself no serial number is told');
    truncateSync(file, 1024 * 1024 + 1);
    const tooLong = await devicesMemory.run({}, testContext({ root }));
    assert.deepEqual(tooLong, { memory_source: 'not_available', memory_devices: [] });
  });
  await withTable(undefined, async (root) => assert.equal(await readMemoryDevices(root), undefined));
});

test('a table that may not be read is a refusal', { skip: process.getuid?.() !== 0 && 'needs root' }, async () => {
  await withTable(SERVER_TABLE, async (root) => {
    chmodSync(root, 0o755);
    chmodSync(join(root, 'sys/firmware/dmi/tables/DMI'), 0o400);
    const wanted = failsWith('read_system', { path: '/sys/firmware/dmi/tables/DMI', errno: 'EACCES' });
    process.seteuid?.(65534);
    try {
      await assert.rejects(readMemoryDevices(root), wanted);
    } finally {
      process.seteuid?.(0);
    }
  });
});

const DMIDECODE = without('dmidecode');

test('as dmidecode reads them', { skip: DMIDECODE }, async () => {
  for (const table of [SERVER_TABLE, LAPTOP_TABLE, VIRTUAL_TABLE]) {
    await withDirectory((directory) => {
      const file = join(directory, 'dump');
      writeFileSync(file, dumpOf(table));
      const theirs = printed('dmidecode', ['--from-dump', file, '-t', '17'])
        .split('Memory Device\n')
        .slice(1)
        .map((block) => Object.fromEntries(block.split('\n').map((line) => line.trim().split(/: ?/, 2) as [string, string])));
      assert.deepEqual(devicesIn(table)?.map(asDmidecode), theirs.map(kept));
    });
  }
});

/** What is compared, in dmidecode's words. */
const COMPARED = [
  'Locator',
  'Size',
  'Form Factor',
  'Type',
  'Total Width',
  'Speed',
  'Configured Memory Speed',
  'Rank',
  'Part Number',
];

function kept(block: Readonly<Record<string, string>>): string[] {
  return COMPARED.map((name) =>
    (block[name] ?? '')
      .trim()
      .toLowerCase()
      .replace(/^(unknown|not specified)$/, ''),
  );
}

function asDmidecode(one: MemoryDevice): string[] {
  const { size_bytes: size = 0, populated, type = '' } = one;
  const unit = size >= GIB ? `${String(size / GIB)} gb` : `${String(size / 1024)} kb`;
  const speed = (value: number | undefined): string => (value === undefined ? '' : `${String(value)} mt/s`);
  return [
    (one.locator ?? '').toLowerCase(),
    populated === true ? unit : 'no module installed',
    (one.form_factor ?? '').toLowerCase(),
    type === 'Unknown' ? '' : type.toLowerCase(),
    one.total_width_bits === undefined ? '' : `${String(one.total_width_bits)} bits`,
    speed(one.speed_mts),
    speed(one.configured_speed_mts),
    one.rank === undefined ? '' : String(one.rank),
    (one.part_number ?? '').toLowerCase(),
  ];
}
