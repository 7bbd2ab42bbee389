/**
 * Drives the MCP client of the AI SDK and prints what came of it as one line of JSON.
 *
 *   node ai-sdk.mjs URL http|sse     the token in TOKEN
 */
import { createMCPClient } from '@ai-sdk/mcp';

const [url, type] = process.argv.slice(2);
const headers = { Authorization: `Bearer ${process.env.TOKEN}` };
const client = await createMCPClient({ transport: { type, url, headers } });
const tools = await client.tools();
const name = Object.keys(tools).find((one) => /^files.list$/.test(one));
const result = await tools[name].execute({ path: '/etc' }, { toolCallId: '1', messages: [] });
console.log(JSON.stringify({ names: Object.keys(tools), text: result.content[0].text }));
await client.close();
process.exit(0);
