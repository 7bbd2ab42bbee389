/** The operations behind the resources about hardware and kernel modules. Only the memory slots may also be read as root. */
import type { AnyOperation } from '../operation.ts';
import { devicesDmi } from './dmi.ts';
import { devicesMemory } from './memory.ts';
import { kernelModules } from './modules.ts';
import { devicesPci } from './pci.ts';
import { devicesUsb } from './usb.ts';

export const DEVICE_OPERATIONS: readonly AnyOperation[] = [devicesUsb, devicesPci, devicesDmi, devicesMemory, kernelModules];
