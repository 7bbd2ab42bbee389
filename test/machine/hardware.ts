/** What the firmware and the buses say: DMI with memory slots, USB, PCI, modules; compared with dmidecode, lsusb, lspci, lsmod. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { output } from '../support/inside/inside.ts';
import type { Suite } from '../support/inside/suite.ts';

interface Dmi {
  readonly sys_vendor: string;
  readonly product_name: string;
  readonly board_name: string;
  readonly bios: Readonly<Record<string, string>>;
  readonly chassis: { readonly vendor: string; readonly type: string };
  readonly memory_source: string;
  readonly memory_devices: readonly MemoryDevice[];
}

interface MemoryDevice {
  readonly locator: string;
  readonly bank_locator: string;
  readonly populated: boolean;
  readonly size_bytes?: number;
  readonly form_factor: string;
  readonly type: string;
  readonly total_width_bits?: number;
  readonly speed_mts?: number;
  readonly configured_voltage_mv?: number;
  readonly manufacturer: string;
  readonly serial_number: string;
  readonly part_number: string;
}

/** Fields of each structure of a type as dmidecode prints them. */
async function dmidecode(machine: Suite, type: number): Promise<ReadonlyMap<string, string>[]> {
  const blocks = (await output(machine, 'dmidecode', '--type', String(type)))
    .split('\n\n')
    .filter((block) => block.includes('DMI type'));
  return blocks.map(
    (block) => new Map([...block.matchAll(/^\t([^:\n]+): (.*)$/gm)].map(([, key = '', value = '']) => [key, value])),
  );
}

/** dmidecode's words for a device as this daemon's fields. */
function expectedDevice(fields: ReadonlyMap<string, string>): Partial<MemoryDevice> {
  const [size = '', unit] = fields.get('Size')?.split(' ') ?? [];
  const populated = unit === 'GB' || unit === 'MB';
  const text = (key: string): string => fields.get(key) ?? '';
  const number = (key: string): number | undefined => {
    const parsed = Number.parseFloat(text(key));
    return Number.isNaN(parsed) ? undefined : parsed;
  };
  const volts = number('Configured Voltage');
  return {
    locator: text('Locator'),
    bank_locator: text('Bank Locator'),
    populated,
    size_bytes: populated ? Number(size) * (unit === 'GB' ? 2 ** 30 : 2 ** 20) : 0,
    form_factor: text('Form Factor'),
    type: text('Type'),
    ...optional('total_width_bits', number('Total Width')),
    ...optional('speed_mts', number('Speed')),
    ...optional('configured_voltage_mv', volts === undefined ? undefined : volts * 1000),
    manufacturer: text('Manufacturer'),
    serial_number: text('Serial Number'),
    part_number: text('Part Number'),
  };
}

function optional(key: string, value: number | undefined): object {
  return value === undefined ? {} : { [key]: value };
}

export function hardwareTests(machine: Suite): void {
  const { skip } = machine;
  const read = async <T>(uri: string, user = 'guest'): Promise<T> => JSON.parse(await machine.resource(user, uri)) as T;

  test('devices://dmi with the grant has every memory slot, the empty one too', { skip }, async () => {
    const dmi = await read<Dmi>('devices://dmi', 'ops');
    assert.equal(dmi.memory_source, 'smbios');
    const slots = (await dmidecode(machine, 17)).map(expectedDevice);
    assert.deepEqual(
      slots.map(({ populated }) => populated),
      [true, true, false],
    );
    slots.forEach((expected, index) => {
      const found = dmi.memory_devices[index];
      assert.deepEqual(
        Object.fromEntries(Object.keys(expected).map((key) => [key, found?.[key as keyof MemoryDevice]])),
        expected,
      );
    });
    assert.equal(dmi.memory_devices.length, slots.length);
    assert.ok(dmi.memory_devices.every((device) => !('speed_mts' in device) || device.populated));
  });

  test('devices://dmi without the grant tells all but the memory', { skip }, async () => {
    const { memory_source, memory_devices, ...open } = await read<Dmi>('devices://dmi');
    assert.equal(memory_source, 'not_granted');
    assert.deepEqual(memory_devices, []);
    const [system] = await dmidecode(machine, 1);
    const [board] = await dmidecode(machine, 2);
    const [chassis] = await dmidecode(machine, 3);
    const [bios] = await dmidecode(machine, 0);
    assert.deepEqual([open.sys_vendor, open.product_name], [system?.get('Manufacturer'), system?.get('Product Name')]);
    assert.equal(open.board_name, board?.get('Product Name'));
    assert.equal(open.chassis.vendor, chassis?.get('Manufacturer'));
    assert.deepEqual(open.bios, {
      vendor: bios?.get('Vendor'),
      version: bios?.get('Version'),
      date: bios?.get('Release Date'),
      release: '2.1',
    });
    for (const secret of ['SYS-0001', 'CH-0001', '0A1B2C3D']) assert.ok(!JSON.stringify(open).includes(secret), secret);
  });

  test('devices://usb has what lsusb has', { skip }, async () => {
    const found = await read<Record<string, string>[]>('devices://usb');
    const truth = (await output(machine, 'lsusb')).split('\n').map((line) => / ID (\S+)/.exec(line)?.[1]);
    assert.deepEqual(found.map((device) => `${device['vendor_id']}:${device['product_id']}`).sort(), truth.sort());
    const tablet = found.find((device) => device['vendor_id'] === '0627');
    assert.deepEqual([tablet?.['manufacturer'], tablet?.['product']], ['QEMU', 'QEMU USB Tablet']);
  });

  test('devices://pci has what lspci has', { skip }, async () => {
    const found = await read<Record<string, string>[]>('devices://pci');
    const truth = (await output(machine, 'lspci', '-Dn')).split('\n').map((line) => {
      const [, slot = '', kind = '', vendor = '', device = ''] = /^(\S+) (\w+): (\w+):(\w+)/.exec(line) ?? [];
      return [slot, `0x${vendor}`, `0x${device}`, `0x${kind}`];
    });
    assert.deepEqual(
      found.map((device) => [device['slot'], device['vendor_id'], device['device_id'], device['class']?.slice(0, 6)]),
      truth,
    );
    assert.ok(
      found.some((device) => device['class'] === '0x010802'),
      'the NVMe controller',
    );
  });

  test('kernel://modules has what lsmod has', { skip }, async () => {
    const found =
      await read<{ name: string; size: string; used_by_count: string; used_by: string[] | null; state: string }[]>(
        'kernel://modules',
      );
    const truth = (await output(machine, 'lsmod')).split('\n').slice(1);
    assert.ok(found.length > 10, String(found.length));
    // lsmod takes the users of a module from sysfs, which has another order than /proc/modules.
    const inOrder = (users: readonly string[]): string => [...users].sort().join(',');
    assert.deepEqual(
      found.map(({ name, size, used_by_count, used_by }) => [name, size, used_by_count, inOrder(used_by ?? [])]),
      truth
        .map((line) => line.split(/\s+/))
        .map(([name, size, count, users]) => [name, size, count, inOrder(users?.split(',') ?? [])]),
    );
    assert.ok(found.every(({ state }) => state === 'Live'));
  });

  test('system/os-release names this system and its kernel', { skip }, async () => {
    const { text } = await (await machine.as('guest')).call('system/os-release', { output_format: 'json' });
    const { os_release, kernel } = JSON.parse(text) as { os_release: string; kernel: string };
    assert.equal(os_release.trimEnd(), await output(machine, 'cat', '/etc/os-release'));
    assert.equal(kernel, await output(machine, 'uname', '-snrvm'));
  });
}
