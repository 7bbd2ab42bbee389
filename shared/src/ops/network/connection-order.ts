/** The order in which sockets are told, so that two answers can be compared. Pure functions. */
import type { SocketTable } from '../../host/sockets.ts';

const PORTS = 65_536;

/** A number for each socket of a table. */
type Column = ArrayLike<number>;

/**
 * These sockets of a table by local port and address (as text), then by peer, last by inode. `exact`: up to where numbers are; less in
 * tests.
 */
export function inOrder(table: SocketTable, sockets: readonly number[], exact = Number.MAX_SAFE_INTEGER): readonly number[] {
  const { addresses, localAddresses, localPorts, peerAddresses, peerPorts, inodes } = table;
  const places = placesOf(addresses);
  // port and address in one number, unless there are so many that it would not be exact any more
  const fits = PORTS * (addresses.length + 1) * (inodes.length + 1) <= exact;
  const columns = fits
    ? [packed(localPorts, localAddresses, places), packed(peerPorts, peerAddresses, places)]
    : [localPorts, placed(localAddresses, places), peerPorts, placed(peerAddresses, places)];
  return ordered(sockets, columns, inodes);
}

/** The places of addresses in the order of their texts. */
function placesOf(addresses: readonly string[]): Column {
  const places = new Float64Array(addresses.length);
  const keys = [...addresses.keys()];
  keys
    .sort((a, b) => ((addresses[a] ?? '') < (addresses[b] ?? '') ? -1 : 1))
    .forEach((address, place) => (places[address] = place));
  return places;
}

function placed(addresses: readonly number[], places: Column): Column {
  return Float64Array.from(addresses, (address) => places[address] ?? 0);
}

function packed(ports: readonly number[], addresses: readonly number[], places: Column): Column {
  const count = ports.length;
  const keys = new Float64Array(count);
  for (let at = 0; at < count; at++) keys[at] = (ports[at] ?? 0) * places.length + (places[addresses[at] ?? 0] ?? 0);
  return keys;
}

/**
 * Ordered by these columns, each of which decides where those before it are the same. Numbers are sorted by the engine itself, with
 * the place of their socket in the same number: calling a function for every comparison takes several times as long.
 */
function ordered(sockets: readonly number[], [column, ...rest]: readonly Column[], inodes: Column): readonly number[] {
  if (column === undefined) return sockets.toSorted((a, b) => (inodes[a] ?? 0) - (inodes[b] ?? 0));
  const count = sockets.length;
  const keys = new Float64Array(count);
  for (let at = 0; at < count; at++) keys[at] = (column[sockets[at] ?? 0] ?? 0) * count + at;
  keys.sort();
  const all: number[] = [];
  for (let at = 0; at < count;) {
    const base = Math.floor((keys[at] ?? 0) / count) * count;
    const from = at;
    const next = base + count;
    while (at < count && (keys[at] ?? 0) < next) at++;
    if (at === from + 1) all.push(sockets[(keys[from] ?? 0) - base] ?? 0);
    else for (const socket of ordered(placesIn(keys, from, at, base, sockets), rest, inodes)) all.push(socket);
  }
  return all;
}

/** The sockets whose keys these are. */
function placesIn(keys: Float64Array, from: number, to: number, base: number, sockets: readonly number[]): readonly number[] {
  const alike: number[] = [];
  for (let at = from; at < to; at++) alike.push(sockets[(keys[at] ?? 0) - base] ?? 0);
  return alike;
}
