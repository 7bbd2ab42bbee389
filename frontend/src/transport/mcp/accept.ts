/** What a client takes as the answer to a POST (RFC 9110 section 12.5.1, as far as it matters here). */

export interface Accepted {
  readonly json: boolean;
  /** An event stream; only where it is named, since not everybody who takes anything can read one. */
  readonly stream: boolean;
}

/** Of the header before: a client always sends the same. */
let last: { readonly header: string | undefined; readonly accepted: Accepted } | undefined;

export function acceptedBy(header: string | undefined): Accepted {
  if (last === undefined || last.header !== header) last = { header, accepted: read(header) };
  return last.accepted;
}

function read(header: string | undefined): Accepted {
  const types = (header ?? '*/*')
    .toLowerCase()
    .split(',')
    .filter((range) => !/;\s*q=0(\.0*)?\s*$/.test(range))
    .map((range) => range.split(';')[0]?.trim() ?? '');
  return {
    json: types.some((type) => type === '*/*' || type === 'application/*' || type === 'application/json'),
    stream: types.includes('text/event-stream'),
  };
}
