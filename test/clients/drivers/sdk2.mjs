/**
 * Drives the SDK 2.x client and prints what came of it as one line of JSON: a process of its own, because the client and its types
 * are installed apart from the project.
 *
 *   node sdk2.mjs URL auto|legacy|PINNED_VERSION|sse     the token in TOKEN; sse: the transport of the first revision
 */
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const [url, mode] = process.argv.slice(2);
const isOld = mode === 'sse' || mode === 'legacy';
const versionNegotiation = { mode: isOld ? 'legacy' : mode === 'auto' ? mode : { pin: mode } };
const Transport = mode === 'sse' ? SSEClientTransport : StreamableHTTPClientTransport;
const client = new Client({ name: 'sdk2-test', version: '1.0.0' }, { versionNegotiation });
const requestInit = { headers: { Authorization: `Bearer ${process.env.TOKEN}` } };
await client.connect(new Transport(new URL(url), { requestInit }));

const { tools } = await client.listTools();
const call = await client.callTool({ name: 'files/list', arguments: { path: '/etc', output_format: 'json' } });
const failed = await client.callTool({ name: 'files/read', arguments: { path: '/no/such' } });
const read = await client.readResource({ uri: 'os://uname' });
const unknown = await client.readResource({ uri: 'no://such' }).catch((error) => error);
console.log(
  JSON.stringify({
    version: client.getNegotiatedProtocolVersion?.() ?? null,
    server: client.getServerVersion()?.name,
    tools: tools.map(({ name }) => name),
    items: call.structuredContent?.items?.length ?? 0,
    failed: failed.isError,
    uname: read.contents[0].text,
    unknown: unknown.code ?? null,
  }),
);
await client.close();
process.exit(0);
