/** Ports of containers in the usual spelling, `0.0.0.0:8080->80/tcp`. Pure functions. */
import { integer, items, members, text, type Members } from './json.ts';

/** From a container's entry in the list. */
export function portsText(container: Members): string {
  const ports = items(container['Ports']).map(members);
  const spelled = ports.map((port) => {
    const inside = `${String(integer(port['PrivatePort']))}/${text(port['Type'])}`;
    const outside = integer(port['PublicPort']);
    return outside === 0 ? inside : `${address(text(port['IP']))}:${String(outside)}->${inside}`;
  });
  return [...new Set(spelled)].sort(byNumber).join(', ');
}

/** From the `NetworkSettings.Ports` of a container's own document. */
export function portList(ports: unknown): string[] {
  const spelled = Object.entries(members(ports)).flatMap(([inside, bindings]) => {
    const outside = items(bindings).map(members);
    if (outside.length === 0) return [inside];
    return outside.map((one) => `${address(text(one['HostIp']))}:${text(one['HostPort'])}->${inside}`);
  });
  return spelled.sort(byNumber);
}

function address(ip: string): string {
  return ip.includes(':') ? `[${ip}]` : ip;
}

/** By the port inside, then by text. */
function byNumber(a: string, b: string): number {
  const port = (spelled: string): number => Number.parseInt(spelled.slice(spelled.indexOf('>') + 1), 10);
  return port(a) - port(b) || (a < b ? -1 : 1);
}
