/**
 * Hardware as resources: USB and PCI devices and what the firmware tells of the machine. All public but the memory slots, whose table
 * holds serial numbers: root reads it for those whom the broker lets.
 */
import { StewardError } from '@steward/shared/errors.ts';
import { devicesDmi } from '@steward/shared/ops/devices/dmi.ts';
import { devicesMemory, type MemorySlots } from '@steward/shared/ops/devices/memory.ts';
import { devicesPci } from '@steward/shared/ops/devices/pci.ts';
import { devicesUsb } from '@steward/shared/ops/devices/usb.ts';
import { jsonText } from '../render/json.ts';
import { CODES, RpcError } from '../rpc/errors.ts';
import { readOrAskRoot } from './ask-root.ts';
import type { FixedResource, ResourceContext, ResourceTemplate } from './resource.ts';

const JSON_TYPE = 'application/json';

const usb: FixedResource = {
  uri: 'devices://usb',
  name: 'USB Devices',
  description: 'Devices on the USB buses with their ids and names.',
  mimeType: JSON_TYPE,
  group: 'devices',
  verb: 'usb',
  async read(context) {
    return { mimeType: JSON_TYPE, text: jsonText((await context.runLocal(devicesUsb, {})).result) };
  },
};

const pci: FixedResource = {
  uri: 'devices://pci',
  name: 'PCI Devices',
  description: 'PCI devices by slot with vendor, device and class.',
  mimeType: JSON_TYPE,
  group: 'devices',
  verb: 'pci',
  async read(context) {
    return { mimeType: JSON_TYPE, text: jsonText((await context.runLocal(devicesPci, {})).result) };
  },
};

const dmi: FixedResource = {
  uri: 'devices://dmi',
  name: 'DMI Hardware Info',
  description: 'Vendor, product, firmware, board and chassis; memory slots with a devices://dmi resource grant.',
  mimeType: JSON_TYPE,
  group: 'devices',
  verb: 'dmi',
  async read(context) {
    const { result } = await context.runLocal(devicesDmi, {});
    return { mimeType: JSON_TYPE, text: jsonText({ ...result, ...(await memoryOf(context)) }) };
  },
};

/** Without a grant the rest is told all the same. */
async function memoryOf(context: ResourceContext): Promise<Omit<MemorySlots, 'memory_source'> & { memory_source: string }> {
  const isCovered = (): boolean => context.grants.resources['devices://dmi']?.includes('*') === true;
  try {
    return (await readOrAskRoot(context, devicesMemory, {}, isCovered)).result;
  } catch (error) {
    const isRefused = error instanceof StewardError && ['resource_read_refused', 'resource_not_granted'].includes(error.key);
    if (!isRefused) throw error;
    return { memory_source: 'not_granted', memory_devices: [] };
  }
}

const BY_TYPE = new Map([
  ['usb', usb],
  ['pci', pci],
  ['dmi', dmi],
]);

const devices: ResourceTemplate = {
  uriTemplate: 'devices://{type}',
  name: 'Hardware Devices',
  description: 'Hardware by type: usb, pci or dmi.',
  mimeType: JSON_TYPE,
  group: 'devices',
  verb: 'get',
  complete: { type: () => Promise.resolve([...BY_TYPE.keys()]) },
  read(context) {
    const resource = BY_TYPE.get(context.params['type'] ?? '');
    if (resource !== undefined) return resource.read(context);
    throw RpcError.of(CODES.resourceNotFound, new StewardError('unknown_resource', { uri: context.uri }));
  },
};

export const DEVICE_RESOURCES: readonly FixedResource[] = [usb, pci, dmi];
export const DEVICE_TEMPLATES: readonly ResourceTemplate[] = [devices];
