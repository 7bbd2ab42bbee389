/** The kernel's IPv4 routes (/proc/net/route, proc_net(5); flags of route(8)). Public. */
import { ipv4FromKernel, maskBits } from './addresses.ts';
import { readSystem } from './procfs.ts';

/** RTF_* of include/uapi/linux/route.h, in the order in which they are told. */
const FLAGS = [
  ['up', 0x1],
  ['gateway', 0x2],
  ['host', 0x4],
  ['reinstate', 0x8],
  ['dynamic', 0x10],
  ['modified', 0x20],
  ['reject', 0x200],
] as const;
export const ROUTE_FLAGS = FLAGS.map(([name]) => name);

export interface Route {
  /** CIDR. */
  readonly destination: string;
  /** Empty where the destination is directly connected. */
  readonly gateway: string;
  readonly iface: string;
  readonly metric: number;
  readonly flags: readonly (typeof FLAGS)[number][0][];
  /** Of the route; 0 where it has none of its own. Likewise window and irtt. */
  readonly mtu: number;
  readonly window: number;
  readonly irtt: number;
  readonly default: boolean;
}

/** In the kernel's order. Throws `read_system`. */
export async function readRoutes(root: string): Promise<Route[]> {
  const [, ...lines] = (await readSystem(root, '/proc/net/route')).split('\n');
  return lines.flatMap((line) => parseRoute(line) ?? []);
}

/** `Iface Destination Gateway Flags RefCnt Use Metric Mask MTU Window IRTT`, separated by tabs. */
function parseRoute(line: string): Route | undefined {
  const [iface = '', target = '', gateway = '', flags = '', , , metric, mask = '', mtu, window, irtt] = line
    .trimEnd()
    .split('\t');
  if (!/^[0-9A-F]{8}$/.test(target) || !/^[0-9A-F]{8}$/.test(mask)) return undefined;
  const destination = `${ipv4FromKernel(target)}/${String(maskBits(mask))}`;
  const bits = parseInt(flags, 16);
  return {
    destination,
    gateway: /^0*$/.test(gateway) ? '' : ipv4FromKernel(gateway),
    iface,
    metric: Number(metric),
    flags: FLAGS.filter(([, bit]) => (bits & bit) !== 0).map(([name]) => name),
    mtu: Number(mtu),
    window: Number(window),
    irtt: Number(irtt),
    default: destination === '0.0.0.0/0',
  };
}
