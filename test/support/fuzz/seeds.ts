/**
 * Values that mean something to the rows of the table, for arguments that a schema alone would fill with noise: by the argument's
 * name, and the paths that the row itself declares. A row whose arguments have other names is fuzzed by its schema from the day on
 * which it is added.
 */
import { join } from 'node:path';
import type { Row } from '@steward/shared/catalogue/row.ts';
import { randomArgs } from './arguments.ts';
import type { Random } from './random.ts';

const NAMES = ['file', 'sub', 'link', 'sub/file', 'none', 'none/none', '../outside/file', 'link/file', '', 'sub/..'];

/** By argument. What is missing here is made from the schema. */
export const SEEDS: Readonly<Record<string, readonly unknown[]>> = {
  device: ['sda', 'nvme0n1', 'loop0', '../sda', '-d', 'sda;id'],
  service: ['cron.service', 'cron', 'steward-frontend.service', '-H', '*.service', 'a b.service'],
  unit: ['cron.service', '-x', '*'],
  key: ['vm.swappiness', 'net/ipv4/ip_default_ttl', 'kernel.core_pattern', '../vm/x', 'vm.*'],
  value: ['1', '1\n2', ''],
  pid: [1, 2, 0, -1, 2 ** 22 + 1],
  user: ['root', 'nobody', 'no-such', '-u', '../root'],
  owner: ['root', '0:0', 'nobody:nogroup', ':0', 'x:y:z'],
  mode: ['644', '4755', 'u+rwX', '9', 'a=rws,g-x'],
  container: ['web', 'a'.repeat(64), '../images/json', '%2e%2e', '-x'],
  if_sha256: ['ab'.repeat(32), 'AB'.repeat(32), 'x'],
  if_match: ['ab'.repeat(32), ''],
};

/** Paths of a row that can be named: those that it declares, without places to fill in. */
const declaredPaths = ({ touches }: Row): string[] => touches.paths.filter((path) => /^\/[\w./-]+$/.test(path));

/** Arguments for a row: from its schema, three times in four with something in the place of a value that means something to it. */
export function seededArgs(row: Row, random: Random, inside: string): Record<string, unknown> {
  const args = randomArgs(row.op.args, random);
  for (const name of Object.keys(row.op.args.properties)) {
    if (!Object.hasOwn(args, name) || random.once(4)) continue;
    const seed = name === 'path' ? randomPath(row, random, inside) : SEEDS[name] && random.pick(SEEDS[name]);
    if (seed !== undefined) args[name] = seed;
  }
  return args;
}

function randomPath(row: Row, random: Random, inside: string): string {
  const declared = declaredPaths(row);
  return declared.length > 0 && random.once(6) ? random.pick(declared) : join(inside, random.pick(NAMES));
}
