/** Catalogue entry: words of network/ping. JSON only. */
import { networkPing } from '@steward/shared/ops/network/ping.ts';
import { jsonText } from '../../render/json.ts';
import { tool } from '../tool.ts';

export const pingTool = tool({
  name: 'network/ping',
  title: 'TCP connect ping',
  description:
    'Test whether a TCP port answers (connect, not ICMP). JSON {host, port, success, latency_ms}. Route: network/trace-path.',
  op: networkPing,
  outputSchema: networkPing.result,
  formats: false,
  human: false,
  text: ({ result }) => ({ text: jsonText(result), isJson: true }),
  json: ({ result }) => ({ text: jsonText(result) }),
});
