/** Lists container networks with subnets and attached containers. Changes nothing. */
import { simpleGlob } from '../../config/match.ts';
import { requireEngine } from '../../engine/access.ts';
import { shortId } from '../../engine/containers.ts';
import type { Engine } from '../../engine/engine.ts';
import { flag, items, members, strings, text, type Members } from '../../engine/json.ts';
import { listNetworks } from '../../engine/objects.ts';
import { utcTime } from '../../engine/times.ts';
import { StewardError } from '../../errors.ts';
import type { Static } from '../../schema.ts';
import { operation } from '../operation.ts';
import { counted, named, word, words } from './schemas.ts';

const args = {
  type: 'object',
  properties: {
    pattern: { type: 'string', maxLength: 255, description: 'glob on name' },
    driver: { type: 'string', maxLength: 255 },
  },
  required: [],
  additionalProperties: false,
} as const;

const truth = { type: 'boolean' } as const;
const record = {
  type: 'object',
  properties: {
    name: word,
    id: word,
    full_id: word,
    driver: word,
    scope: word,
    created: word,
    internal: truth,
    attachable: truth,
    ingress: truth,
    ipv6: truth,
    ipam_driver: word,
    subnets: words,
    gateways: words,
    containers: words,
    options: named,
    labels: named,
  },
  // prettier-ignore
  required: ['name', 'id', 'full_id', 'driver', 'scope', 'created', 'internal', 'attachable', 'ingress', 'ipv6', 'ipam_driver', 'subnets', 'gateways', 'containers', 'options', 'labels'],
  additionalProperties: false,
} as const;
export type NetworkRecord = Static<typeof record>;

export const dockerNetworks = operation<Static<typeof args>, Static<typeof counted>, NetworkRecord>({
  name: 'docker/networks',
  args,
  kind: 'records',
  result: counted,
  record,
  where: 'loop',
  async run({ pattern, driver }, context) {
    const engine = await requireEngine(context);
    const chosen = (await listNetworks(engine, context.signal))
      .filter((network) => pattern === undefined || simpleGlob(pattern, text(network['Name'])))
      .filter((network) => driver === undefined || network['Driver'] === driver)
      .sort((a, b) => (text(a['Name']) < text(b['Name']) ? -1 : 1));
    let count = 0;
    for (const network of chosen) {
      const document = await networkDocument(engine, text(network['Id']), context.signal);
      if (document === undefined) continue;
      count += 1;
      await context.emit(recordOf(document));
    }
    return { count };
  },
});

/** The network's own document, which alone names its containers; undefined when the network is gone meanwhile. */
export async function networkDocument(engine: Engine, id: string, signal: AbortSignal): Promise<Members | undefined> {
  try {
    return members(await engine.read({ route: 'GET /networks/{network}', object: id, signal }));
  } catch (error) {
    if (error instanceof StewardError && error.key === 'docker_not_found') return undefined;
    throw error;
  }
}

function recordOf(network: Members): NetworkRecord {
  const id = text(network['Id']);
  const ipam = members(network['IPAM']);
  const config = items(ipam['Config']).map(members);
  const listed = (key: string): string[] => config.map((one) => text(one[key])).filter((value) => value !== '');
  return {
    name: text(network['Name']),
    id: shortId(id),
    full_id: id,
    driver: text(network['Driver']),
    scope: text(network['Scope']),
    created: utcTime(network['Created']),
    internal: flag(network['Internal']),
    attachable: flag(network['Attachable']),
    ingress: flag(network['Ingress']),
    ipv6: flag(network['EnableIPv6']),
    ipam_driver: text(ipam['Driver']),
    subnets: listed('Subnet'),
    gateways: listed('Gateway'),
    containers: Object.values(members(network['Containers'])).map(attached).sort(),
    options: strings(network['Options']),
    labels: strings(network['Labels']),
  };
}

/** `web (172.17.0.2)` */
function attached(endpoint: unknown): string {
  const { Name, IPv4Address, IPv6Address } = members(endpoint);
  const address = (text(IPv4Address) || text(IPv6Address)).replace(/\/\d+$/, '');
  return address === '' ? text(Name) : `${text(Name)} (${address})`;
}
