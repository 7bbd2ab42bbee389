/**
 * Asks the host's resolver for the records of a name. Runs in the frontend alone, unprivileged; what the caller's network policy
 * refuses is not asked for, and records that lead to what it refuses are only counted.
 */
import { StewardError } from '../../errors.ts';
import type { NetworkPolicy } from '../../config/types.ts';
import { parseDestination, type Destination } from '../../host/destination.ts';
import { Lookup, lookupError, RECORD_TYPES, type DnsAnswer, type DnsRecord, type RecordType } from '../../host/lookup.ts';
import { isIPv4 } from 'node:net';
import { refuseAddress, refuseName, requirePolicy } from '../../host/network-policy.ts';
import { TimeLimit } from '../../host/time-limit.ts';
import type { Static } from '../../schema.ts';
import { operation } from '../operation.ts';

/** Of all queries of one call. */
const LIMIT_SECONDS = 15;

/** What may be asked for; `ANY` is every type in turn. */
export const ASKABLE_TYPES = ['A', 'AAAA', 'CNAME', 'TXT', 'MX', 'NS', 'ANY'] as const;

const args = {
  type: 'object',
  properties: {
    host: { type: 'string' },
    record_type: { type: 'string', enum: ASKABLE_TYPES, default: 'ANY', description: 'any case' },
  },
  required: ['host'],
  additionalProperties: false,
} as const;

const result = {
  type: 'object',
  properties: {
    host: { type: 'string' },
    records: {
      type: 'array',
      items: {
        type: 'object',
        properties: { type: { type: 'string', enum: RECORD_TYPES }, value: { type: 'string' } },
        required: ['type', 'value'],
        additionalProperties: false,
      },
    },
    /** Records that the network policy keeps back. */
    withheld: { type: 'integer', minimum: 1 },
  },
  required: ['host', 'records'],
  additionalProperties: false,
} as const;

export type NslookupResult = Static<typeof result>;

export const networkNslookup = operation<Static<typeof args>, NslookupResult>({
  name: 'network/nslookup',
  args,
  kind: 'value',
  result,
  where: 'loop',
  async run({ host, record_type = 'ANY' }, context) {
    const policy = requirePolicy(context.network);
    const destination = parseDestination(host);
    const refusal = refuseName(policy, destination);
    if (refusal !== undefined) throw refusal;
    if (destination.isAddress) {
      return { host, records: [{ type: isIPv4(destination.name) ? 'A' : 'AAAA', value: destination.name }] };
    }
    const limit = new TimeLimit(LIMIT_SECONDS, context.signal);
    try {
      const lookup = await Lookup.open(context.root, limit);
      const found = await ask(lookup, destination, record_type === 'ANY' ? RECORD_TYPES : [record_type]);
      const shown = found.filter((record) => !isRefused(policy, destination, record));
      const withheld = found.length - shown.length;
      const records = shown.map(({ type, value }) => ({ type, value }));
      return { host, records, ...(withheld > 0 ? { withheld } : {}) };
    } finally {
      limit.close();
    }
  },
});

/** All records of these types; throws when the name does not exist or nothing answered. */
async function ask(lookup: Lookup, host: Destination, types: readonly RecordType[]): Promise<DnsRecord[]> {
  const answers: DnsAnswer[] = [];
  for (const type of types) {
    const answer = await lookup.query(host.name, type);
    answers.push(answer);
    // That there is no such name is said of the name, whatever was asked for.
    if (answer.status === 'no_host') break;
  }
  const records = answers.flatMap((answer) => (answer.status === 'found' ? answer.records : []));
  const exists = answers.some(({ status }) => status === 'found') || answers.every(({ status }) => status === 'none');
  if (!exists) throw lookupError(answers, host.shown);
  return records;
}

/** Whether a record leads to an address or a name that the caller may not reach. */
function isRefused(policy: NetworkPolicy, host: Destination, { type, leadsTo }: DnsRecord): boolean {
  if (leadsTo === undefined) return false;
  if (type === 'A' || type === 'AAAA') return refuseAddress(policy, host, leadsTo) !== undefined;
  return refuseName(policy, asTarget(leadsTo)) !== undefined;
}

/** A name that a server answered; it need not be one that a caller could write. */
function asTarget(name: string): Destination {
  try {
    return parseDestination(name);
  } catch (error) {
    if (error instanceof StewardError) return { shown: name, name: name.toLowerCase(), isAddress: false };
    throw error;
  }
}
