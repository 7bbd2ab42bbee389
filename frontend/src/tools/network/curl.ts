/** Catalogue entry: words of network/curl. JSON only. */
import { networkCurl } from '@steward/shared/ops/network/curl.ts';
import { jsonText } from '../../render/json.ts';
import { tool } from '../tool.ts';

export const curlTool = tool({
  name: 'network/curl',
  title: 'HTTP request',
  description:
    'Make one HTTP or HTTPS request, up to 10 redirects. JSON {status_code, status, headers, body}; body cut at max_body (default 1 MiB, max 10 MiB). Timeout 10 s. Port test: network/ping.',
  op: networkCurl,
  outputSchema: networkCurl.result,
  formats: false,
  human: false,
  text: ({ result }) => ({ text: jsonText(result), isJson: true }),
  json: ({ result }) => ({ text: jsonText(result) }),
});
