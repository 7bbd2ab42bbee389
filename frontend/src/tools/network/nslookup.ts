/** Catalogue entry: words of network/nslookup. JSON only. */
import { StewardError } from '@steward/shared/errors.ts';
import { ASKABLE_TYPES, networkNslookup } from '@steward/shared/ops/network/nslookup.ts';
import { jsonText } from '../../render/json.ts';
import { tool } from '../tool.ts';

export const nslookupTool = tool({
  name: 'network/nslookup',
  title: 'DNS lookup',
  description:
    "Resolve a host name with the host's resolver: A, AAAA, CNAME, TXT, MX, NS or ANY. JSON {host, records}. No server choice, no reverse lookup.",
  op: networkNslookup,
  outputSchema: networkNslookup.result,
  formats: false,
  human: false,
  prepare: ({ record_type: written, ...rest }) =>
    written === undefined ? rest : { ...rest, record_type: typeof written === 'string' ? typeNamed(written) : written },
  text: ({ result }) => ({ text: jsonText(result), isJson: true }),
  json: ({ result }) => ({ text: jsonText(result) }),
});

/** In any case; the empty string is left to be "not given". Throws `record_type_unsupported`. */
function typeNamed(written: string): string {
  const type = written.toUpperCase();
  if (type !== '' && !ASKABLE_TYPES.some((known) => known === type)) {
    throw new StewardError('record_type_unsupported', { type: written });
  }
  return type;
}
