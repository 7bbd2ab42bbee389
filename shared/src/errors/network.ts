/** Error texts of the network tools and their policy. Part of the registry in ../errors.ts. */
import type { ErrorEntry } from './entry.ts';

export const NETWORK = {
  network_denied: {
    code: 'RESTRICTED',
    text: "destination {host}{address} is blocked by this user's network policy ({list})",
  },
  network_private: {
    code: 'RESTRICTED',
    text: "destination {host}{address} is a private/internal address, blocked by this user's network policy (deny_private)",
  },
  host_invalid: { code: 'BAD_ARGS', text: 'invalid host "{host}"' },
  record_type_unsupported: {
    code: 'BAD_ARGS',
    text: 'unsupported record type "{type}" (A, AAAA, CNAME, TXT, MX, NS, ANY)',
  },
  host_not_found: { code: 'NOT_FOUND', text: '{host}: no such host' },
  lookup_timeout: { code: 'TIMEOUT', text: '{host}: lookup timed out' },
  lookup_failed: { code: 'SYSTEM', text: '{host}: lookup failed: {reason}' },
  url_invalid: { code: 'BAD_ARGS', text: 'invalid url "{url}": expected http:// or https://' },
  header_refused: { code: 'BAD_ARGS', text: 'header "{name}" is not allowed' },
  method_invalid: { code: 'BAD_ARGS', text: 'invalid method "{method}"' },
  http_failed: { code: 'SYSTEM', text: 'http request failed: {reason}' },
  connection_state: {
    code: 'BAD_ARGS',
    text: 'unknown connection state "{state}" (valid, case-insensitive: {valid})',
  },
  traceroute_missing: {
    code: 'TOOL_MISSING',
    text: 'traceroute is not installed on this host - install the traceroute package',
  },
  traceroute_failed: { code: 'SYSTEM', text: 'traceroute failed: {reason}' },
  interface_not_found: { code: 'NOT_FOUND', text: 'interface {name} not found' },
} as const satisfies Record<string, ErrorEntry>;
