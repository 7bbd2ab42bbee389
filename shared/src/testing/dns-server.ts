/** For unit tests alone: a name server on loopback UDP (RFC 1035) that answers what a test tells it to. */
import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { isIPv4 } from 'node:net';

/** Record types and their numbers. */
const TYPES = { A: 1, NS: 2, CNAME: 5, MX: 15, TXT: 16, AAAA: 28 } as const;
type TypeName = keyof typeof TYPES;

/** What to answer: records (`10 mail.test` for MX, an array of strings for TXT), a status, or nothing at all. */
export type DnsReply = readonly (string | readonly string[])[] | 'nxdomain' | 'servfail' | 'silence';

export interface DnsDouble extends AsyncDisposable {
  /** A line for resolv.conf that leads here. */
  readonly resolvConf: string;
  /** Every query so far, as `TYPE name`. */
  readonly queries: readonly string[];
}

const RCODES = { nxdomain: 3, servfail: 2 } as const;

/** `answer` gets the name as asked, the type, and how often this very question came before. */
export async function dnsDouble(answer: (name: string, type: string, before: number) => DnsReply): Promise<DnsDouble> {
  const socket = createSocket('udp4');
  const queries: string[] = [];
  socket.on('message', (query: Buffer, from: RemoteInfo) => {
    const { name, type, end } = questionOf(query);
    const asked = `${type} ${name}`;
    const reply = answer(name, type, queries.filter((one) => one === asked).length);
    queries.push(asked);
    if (reply !== 'silence') socket.send(response(query.subarray(0, end), type as TypeName, reply), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    resolvConf: `nameserver [127.0.0.1]:${String(socket.address().port)}\n`,
    queries,
    async [Symbol.asyncDispose](): Promise<void> {
      socket.close();
      await once(socket, 'close');
    },
  };
}

function questionOf(query: Buffer): { name: string; type: string; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const code = query.readUInt16BE(at + 1);
  const type = Object.entries(TYPES).find(([, number]) => number === code)?.[0] ?? String(code);
  return { name: labels.join('.'), type, end: at + 5 };
}

/** Header and question echoed, then the answers, their owner a pointer to the question's name. */
function response(question: Buffer, type: TypeName, reply: Exclude<DnsReply, 'silence'>): Buffer {
  const records = typeof reply === 'string' ? [] : reply;
  const head = Buffer.from(question);
  head.writeUInt16BE(0x8180 | (typeof reply === 'string' ? RCODES[reply] : 0), 2);
  head.writeUInt16BE(records.length, 6);
  head.writeUInt16BE(0, 10); // no additional records
  return Buffer.concat([head, ...records.map((record) => recordOf(type, record))]);
}

function recordOf(type: TypeName, record: string | readonly string[]): Buffer {
  const data = dataOf(type, record);
  const fields = Buffer.alloc(12);
  fields.writeUInt16BE(0xc00c, 0);
  fields.writeUInt16BE(TYPES[type], 2);
  fields.writeUInt16BE(1, 4);
  fields.writeUInt32BE(60, 6);
  fields.writeUInt16BE(data.length, 10);
  return Buffer.concat([fields, data]);
}

function dataOf(type: TypeName, record: string | readonly string[]): Buffer {
  if (typeof record !== 'string') return Buffer.concat(record.map(counted));
  if (type === 'A' || type === 'AAAA') return addressBytes(record);
  if (type !== 'MX') return nameBytes(record);
  const [priority, name = ''] = record.split(' ');
  const number = Buffer.alloc(2);
  number.writeUInt16BE(Number(priority));
  return Buffer.concat([number, nameBytes(name)]);
}

function counted(text: string): Buffer {
  return Buffer.concat([Buffer.from([Buffer.byteLength(text)]), Buffer.from(text)]);
}

function nameBytes(name: string): Buffer {
  return Buffer.concat([...name.split('.').map(counted), Buffer.from([0])]);
}

/** IPv6 only with `::` somewhere. */
function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const groups = [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail].map((group) =>
    parseInt(group, 16),
  );
  return Buffer.from(groups.flatMap((group) => [group >> 8, group & 255]));
}
