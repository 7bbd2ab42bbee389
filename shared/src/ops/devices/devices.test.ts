/** Proves the readers of hardware and modules on trees of real machines, and against lspci, lsusb and lsmod. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { failsWith, testContext, withTree } from '../../testing/context.ts';
import { withFixture } from '../../testing/fixture.ts';
import { without } from '../../testing/programs.ts';
import { misfit } from '../../testing/schema.ts';
import { printed } from '../../testing/truth.ts';
import { DEVICE_OPERATIONS } from './index.ts';
import { devicesDmi } from './dmi.ts';
import { kernelModules } from './modules.ts';
import { devicesPci } from './pci.ts';
import { devicesUsb } from './usb.ts';

const USB_TREE = `
sys/devices/usb2/idVendor = 1d6b
sys/devices/usb2/idProduct = 0003
sys/devices/usb2/manufacturer = Linux 6.1.0 xhci-hcd
sys/devices/usb2/product = xHCI Host Controller
sys/devices/2-1/idVendor = 0951
sys/devices/2-1/idProduct = 1666
sys/devices/2-1/serial = E0D55EA573F0F3A0
sys/devices/2-1/product = DataTraveler 3.0
sys/devices/2-1.4/idVendor = 8087
sys/devices/2-1.4/idProduct = 0026
sys/devices/2-1:1.0/bInterfaceClass = 08
sys/bus/usb/devices/usb2 -> ../../../devices/usb2
sys/bus/usb/devices/2-1 -> ../../../devices/2-1
sys/bus/usb/devices/2-1.4 -> ../../../devices/2-1.4
sys/bus/usb/devices/2-1:1.0 -> ../../../devices/2-1:1.0
`;

test('devices on USB: names where there are any, no interfaces, by place', async () => {
  await withFixture(USB_TREE, async (root) => {
    const found = await devicesUsb.run({}, testContext({ root }));
    assert.deepEqual(found, [
      { bus_id: '2-1', vendor_id: '0951', product_id: '1666', manufacturer: '', product: 'DataTraveler 3.0' },
      { bus_id: '2-1.4', vendor_id: '8087', product_id: '0026', manufacturer: '', product: '' },
      {
        bus_id: 'usb2',
        vendor_id: '1d6b',
        product_id: '0003',
        manufacturer: 'Linux 6.1.0 xhci-hcd',
        product: 'xHCI Host Controller',
      },
    ]);
    assert.equal(misfit(devicesUsb.result, found), undefined);
  });
});

const PCI_TREE = `
sys/devices/pci0000:00/0000:00:1f.2/vendor = 0x8086
sys/devices/pci0000:00/0000:00:1f.2/device = 0x2922
sys/devices/pci0000:00/0000:00:1f.2/class = 0x010601
sys/devices/pci0000:00/0000:00:02.0/vendor = 0x1234
sys/devices/pci0000:00/0000:00:02.0/device = 0x1111
sys/devices/pci0000:00/0000:00:02.0/class = 0x030000
sys/bus/pci/devices/0000:00:1f.2 -> ../../../devices/pci0000:00/0000:00:1f.2
sys/bus/pci/devices/0000:00:02.0 -> ../../../devices/pci0000:00/0000:00:02.0
sys/bus/pci/devices/10000:e1:00.0/vendor = 0x144d
`;

test('devices on PCI by slot', async () => {
  await withFixture(PCI_TREE, async (root) => {
    const found = await devicesPci.run({}, testContext({ root }));
    assert.deepEqual(found, [
      { slot: '0000:00:02.0', vendor_id: '0x1234', device_id: '0x1111', class: '0x030000' },
      { slot: '0000:00:1f.2', vendor_id: '0x8086', device_id: '0x2922', class: '0x010601' },
      { slot: '10000:e1:00.0', vendor_id: '0x144d', device_id: '', class: '' },
    ]);
    assert.equal(misfit(devicesPci.result, found), undefined);
  });
});

const MODULES = `nf_tables 356352 0 - Live 0xffffffffc0a5e000
xt_conntrack 16384 2 - Live 0x0000000000000000
ext4 991232 1 - Live 0xffffffffc0700000
mbcache 16384 1 ext4, Live 0xffffffffc06f0000
nf_conntrack 188416 3 xt_conntrack,nf_nat,xt_MASQUERADE, Live 0xffffffffc0600000 (E)
ipv6 557056 24 [permanent], Live 0xffffffffc0500000
loading 20480 1 nf_nat,[permanent], Loading 0xffffffffc0400000 (POE+)
builtin_only 4096 - - Live 0xffffffffc0300000
`;

test('modules in the order of the kernel', async () => {
  await withTree({ 'proc/modules': MODULES }, async (root) => {
    const found = await kernelModules.run({}, testContext({ root }));
    assert.equal(misfit(kernelModules.result, found), undefined);
    assert.deepEqual(
      found.map(({ name, used_by_count, used_by, state }) => [name, used_by_count, used_by, state]),
      [
        ['nf_tables', '0', null, 'Live'],
        ['xt_conntrack', '2', null, 'Live'],
        ['ext4', '1', null, 'Live'],
        ['mbcache', '1', ['ext4'], 'Live'],
        ['nf_conntrack', '3', ['xt_conntrack', 'nf_nat', 'xt_MASQUERADE'], 'Live'],
        ['ipv6', '24', null, 'Live'],
        ['loading', '1', ['nf_nat'], 'Loading'],
        ['builtin_only', '-', null, 'Live'],
      ],
    );
    assert.deepEqual(found[4], {
      name: 'nf_conntrack',
      size: '188416',
      used_by_count: '3',
      used_by: ['xt_conntrack', 'nf_nat', 'xt_MASQUERADE'],
      state: 'Live',
      address: '0xffffffffc0600000',
    });
  });
});

test('hosts without USB, PCI or modules have none; without DMI it is said', async () => {
  await withTree({}, async (root) => {
    assert.deepEqual(await devicesUsb.run({}, testContext({ root })), []);
    assert.deepEqual(await devicesPci.run({}, testContext({ root })), []);
    assert.deepEqual(await kernelModules.run({}, testContext({ root })), []);
    const message = 'DMI data not available on this system\n';
    await assert.rejects(devicesDmi.run({}, testContext({ root })), { message });
  });
  await withTree({ 'sys/bus/usb/devices': 'no directory' }, async (root) => {
    const wanted = failsWith('read_system', { path: '/sys/bus/usb/devices', reason: 'not a directory' });
    await assert.rejects(devicesUsb.run({}, testContext({ root })), wanted);
  });
});

const DMI_TREE = `
sys/class/dmi/id/sys_vendor = Acme
sys/class/dmi/id/product_name = R1
sys/class/dmi/id/product_version = 1
sys/class/dmi/id/product_serial = SECRET
sys/class/dmi/id/chassis_serial = SECRET
sys/class/dmi/id/chassis_asset_tag = SECRET
sys/class/dmi/id/bios_vendor = Acme
sys/class/dmi/id/bios_version = 2.1
sys/class/dmi/id/bios_date = 04/01/2024
sys/class/dmi/id/bios_release = 2.1
sys/class/dmi/id/board_name = B1
sys/class/dmi/id/board_vendor = Acme
sys/class/dmi/id/chassis_vendor = Acme
sys/class/dmi/id/chassis_type = 151
sys/class/dmi/id/chassis_version = 1
`;

test('what the firmware tells, without serial numbers', async () => {
  await withFixture(DMI_TREE, async (root) => {
    const found = await devicesDmi.run({}, testContext({ root }));
    assert.deepEqual(found, {
      sys_vendor: 'Acme',
      product_name: 'R1',
      product_version: '1',
      bios_version: '2.1',
      bios_date: '04/01/2024',
      board_name: 'B1',
      board_vendor: 'Acme',
      bios: { vendor: 'Acme', version: '2.1', date: '04/01/2024', release: '2.1' },
      chassis: { vendor: 'Acme', type: 'Rack Mount Chassis', type_code: 151, version: '1' },
    });
    assert.equal(misfit(devicesDmi.result, found), undefined);
  });
  await withFixture('sys/class/dmi/id/sys_vendor = Acme\nsys/class/dmi/id/chassis_type = 99', async (root) => {
    const { product_name, bios, chassis } = await devicesDmi.run({}, testContext({ root }));
    assert.deepEqual([product_name, bios.release, chassis.type, chassis.type_code], ['Unknown', 'Unknown', 'Unknown', 99]);
  });
});

test('on this machine everything is as declared, and no operation takes arguments', async () => {
  for (const op of DEVICE_OPERATIONS) {
    assert.deepEqual([op.args.properties, op.path], [{}, undefined]);
    const found: unknown = await op.run({}, testContext()).catch((error: unknown) => error);
    if (!failsWith('dmi_unavailable')(found)) assert.equal(misfit(op.result, found), undefined, op.name);
  }
});

const noPci = existsSync('/sys/bus/pci/devices') ? without('lspci') : 'no PCI here';
test('PCI as lspci tells it', { skip: noPci }, async () => {
  const ours = (await devicesPci.run({}, testContext())).map(
    ({ slot, vendor_id, device_id, class: kind }) => `${slot} ${kind.slice(2, 6)}: ${vendor_id.slice(2)}:${device_id.slice(2)}`,
  );
  const theirs = printed('lspci', ['-D', '-n']).trimEnd().split('\n');
  assert.deepEqual(
    ours,
    theirs.map((line) => line.replace(/ \(rev.*$/, '')),
  );
});

test('PCI as sysfs lists it', { skip: !existsSync('/sys/bus/pci/devices') && 'no PCI here' }, async () => {
  const slots = (await devicesPci.run({}, testContext())).map(({ slot }) => slot);
  assert.deepEqual(slots, readdirSync('/sys/bus/pci/devices').sort());
});

test('USB as lsusb tells it, nothing on a machine without the bus', { skip: without('lsusb') }, async () => {
  const ours = (await devicesUsb.run({}, testContext())).map(({ vendor_id, product_id }) => `${vendor_id}:${product_id}`);
  const bus = existsSync('/sys/bus/usb/devices');
  const theirs = bus ? [...printed('lsusb', []).matchAll(/ ID ([0-9a-f]{4}:[0-9a-f]{4})/g)].map(([, id]) => id) : [];
  assert.deepEqual(ours.sort(), theirs.sort());
});

test('modules as lsmod tells them, nothing of a kernel without modules', { skip: without('lsmod') }, async () => {
  const ours = await kernelModules.run({}, testContext());
  const theirs = existsSync('/proc/modules') ? printed('lsmod', []).trimEnd().split('\n').slice(1) : [];
  const words = theirs.map((line) => line.split(/\s+/));
  assert.deepEqual(
    ours.map(({ name, size, used_by }) => [name, size, used_by === null ? '' : [...used_by].sort().join(',')]),
    words.map(([name, size, , users = '']) => [name, size, users.split(',').sort().join(',')]),
  );
});
