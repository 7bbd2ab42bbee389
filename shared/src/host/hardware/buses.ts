/** Devices on the USB and PCI buses, from sysfs (Documentation/ABI/testing/sysfs-bus-usb and sysfs-bus-pci of the kernel). Public. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf, systemError } from '../../errors.ts';
import { readAttribute } from '../procfs.ts';

const USB = '/sys/bus/usb/devices';
const PCI = '/sys/bus/pci/devices';

/** Ids are four hexadecimal digits; names are empty where the device tells none. */
export interface UsbDevice {
  readonly bus_id: string;
  readonly vendor_id: string;
  readonly product_id: string;
  readonly manufacturer: string;
  readonly product: string;
}

/** Numbers as the kernel writes them, hexadecimal with `0x`. */
export interface PciDevice {
  readonly slot: string;
  readonly vendor_id: string;
  readonly device_id: string;
  readonly class: string;
}

/** The devices of all buses by their place; interfaces of devices are none. A host without USB has none. Throws `read_system`. */
export async function readUsb(root: string): Promise<UsbDevice[]> {
  const found = await Promise.all(
    (await entriesOf(root, USB)).map(async (bus_id) => {
      const attribute = (name: string): Promise<string | undefined> => readAttribute(root, `${USB}/${bus_id}/${name}`);
      const vendor_id = await attribute('idVendor');
      if (vendor_id === undefined) return undefined;
      const [product_id = '', manufacturer = '', product = ''] = await Promise.all(
        ['idProduct', 'manufacturer', 'product'].map(attribute),
      );
      return { bus_id, vendor_id, product_id, manufacturer, product };
    }),
  );
  return found.filter((device) => device !== undefined);
}

/** The functions of all PCI devices by their slot. A host without PCI has none. Throws `read_system`. */
export async function readPci(root: string): Promise<PciDevice[]> {
  return Promise.all(
    (await entriesOf(root, PCI)).map(async (slot) => {
      const [vendor_id = '', device_id = '', kind = ''] = await Promise.all(
        ['vendor', 'device', 'class'].map((name) => readAttribute(root, `${PCI}/${slot}/${name}`)),
      );
      return { slot, vendor_id, device_id, class: kind };
    }),
  );
}

async function entriesOf(root: string, directory: string): Promise<string[]> {
  try {
    return (await readdir(join(root, directory))).sort();
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw systemError('read_system', { path: directory }, error);
  }
}
