/**
 * Makes one HTTP request and follows redirects. Runs in the frontend alone, unprivileged. The caller's network policy judges every
 * host and address on the way anew; the connection goes to the address that was judged.
 */
import { reasonOf, errnoOf, StewardError } from '../../errors.ts';
import type { NetworkPolicy } from '../../config/types.ts';
import { destinationOf, type Destination } from '../../host/destination.ts';
import { readBody } from '../../host/http/body.ts';
import { exchange, type Exchange } from '../../host/http/exchange.ts';
import { responseHeaders } from '../../host/http/headers.ts';
import { makeRequest, redirected, redirectOf, type HttpRequest } from '../../host/http/request.ts';
import { requirePolicy } from '../../host/network-policy.ts';
import { judgeNamed, reachableAddresses } from '../../host/reach.ts';
import { TimeLimit } from '../../host/time-limit.ts';
import type { Static } from '../../schema.ts';
import { operation } from '../operation.ts';

const MAX_REDIRECTS = 10;
const MAX_BODY = 10 * 1024 * 1024;
/** Of a reason that is not an errno, in characters: it may quote what the server sent. */
const MAX_REASON = 300;
/** What the runtime adds about options of its own. */
const HINT = /; if the root CA is installed locally.*$/s;

const args = {
  type: 'object',
  properties: {
    url: { type: 'string', description: 'http or https' },
    method: { type: 'string', default: 'GET' },
    headers: { type: 'object', properties: {}, required: [], additionalProperties: { type: 'string' } },
    body: { type: 'string' },
    insecure: { type: 'boolean', description: 'skip TLS verification' },
    max_body: { type: 'integer', minimum: 0, default: 1_048_576, description: 'bytes, at most 10485760' },
    timeout: { type: 'number', minimum: 0.001, default: 10, description: 'seconds' },
  },
  required: ['url'],
  additionalProperties: false,
} as const;
type Args = Static<typeof args>;

const result = {
  type: 'object',
  properties: {
    status_code: { type: 'integer', minimum: 100, maximum: 999 },
    status: { type: 'string' },
    headers: { type: 'object', properties: {}, required: [], additionalProperties: { type: 'string' } },
    body: { type: 'string' },
    /** True when the body was cut; absent otherwise. */
    truncated: { type: 'boolean' },
    /** The body's bytes, when they are not valid UTF-8. */
    body_base64: { type: 'string' },
  },
  required: ['status_code', 'status', 'headers', 'body'],
  additionalProperties: false,
} as const;

export type CurlResult = Static<typeof result>;

export const networkCurl = operation<Args, CurlResult>({
  name: 'network/curl',
  args,
  kind: 'value',
  result,
  where: 'loop',
  async run({ url, method = 'GET', headers = {}, body, insecure = false, max_body = 1_048_576, timeout = 10 }, context) {
    const policy = requirePolicy(context.network);
    const request = makeRequest({ url, method, headers, body });
    const limit = new TimeLimit(timeout, context.signal);
    const way: Way = { policy, root: context.root, limit, insecure };
    try {
      const last = await follow(request, way);
      try {
        return await resultOf(last, Math.min(max_body, MAX_BODY));
      } finally {
        last.close();
      }
    } catch (error) {
      throw failureOf(error, limit);
    } finally {
      limit.close();
    }
  },
});

interface Way {
  readonly policy: NetworkPolicy;
  readonly root: string;
  readonly limit: TimeLimit;
  readonly insecure: boolean;
}

/** Sends the request and what redirects make of it. Resolves to the first answer that is no redirect. */
async function follow(first: HttpRequest, way: Way): Promise<Exchange> {
  let request = first;
  for (let redirects = 0; ; redirects += 1) {
    const answer = await send(request, way);
    const { statusCode = 0, headers } = answer.response;
    const location = redirectOf(statusCode, headers.location);
    if (location === undefined) return answer;
    answer.close();
    if (redirects === MAX_REDIRECTS) {
      throw new StewardError('http_failed', { reason: `stopped after ${String(MAX_REDIRECTS)} redirects` });
    }
    request = redirected(request, statusCode, location);
  }
}

async function send(request: HttpRequest, { policy, root, limit, insecure }: Way): Promise<Exchange> {
  const host = destinationOf(request.url);
  const named = namedHost(request);
  const addresses = await reachableAddresses(host, policy, root, limit);
  if (named !== undefined) await judgeNamed(named, policy, root, limit);
  return exchange(request, { host, addresses, insecure, limit });
}

/** The host of a Host header that the caller wrote: a server of many names would serve it, so it is judged like that of the URL. */
function namedHost({ headers, url }: HttpRequest): Destination | undefined {
  const written = headers.get('host');
  if (written === undefined) return undefined;
  const named = /[\s/?#@\\]/.test(written) ? null : URL.parse(`${url.protocol}//${written}/`);
  if (named === null) throw new StewardError('header_refused', { name: 'Host' });
  return destinationOf(named);
}

async function resultOf({ response }: Exchange, maxBody: number): Promise<CurlResult> {
  const { statusCode = 0, statusMessage = '', rawHeaders } = response;
  const { text, base64, truncated } = await readBody(response, maxBody);
  return {
    status_code: statusCode,
    status: `${String(statusCode)} ${statusMessage}`.trimEnd(),
    headers: responseHeaders(rawHeaders),
    body: text,
    ...(truncated ? { truncated } : {}),
    ...(base64 === undefined ? {} : { body_base64: base64 }),
  };
}

/** Refusals and bad arguments keep their own words; everything that the network did is a failed request. */
function failureOf(error: unknown, limit: TimeLimit): unknown {
  if (limit.timedOut !== undefined) {
    return new StewardError('http_failed', { reason: `timed out after ${String(limit.timedOut)} seconds` });
  }
  if (limit.isOver()) return limit.reason;
  if (error instanceof StewardError) {
    const isLookup = error.key === 'host_not_found' || error.key === 'lookup_timeout' || error.key === 'lookup_failed';
    return isLookup ? new StewardError('http_failed', { reason: error.message }) : error;
  }
  const reason = networkReason(error);
  return reason === undefined ? error : new StewardError('http_failed', { reason }, { cause: error });
}

/** System errors by their word; those of TLS and of the parser of answers by theirs. Undefined for a defect. */
function networkReason(error: unknown): string | undefined {
  if (!(error instanceof Error) || error instanceof TypeError || error instanceof RangeError) return undefined;
  if (errnoOf(error) !== undefined) return reasonOf(error);
  if (!('code' in error)) return undefined;
  const { reason } = error as { reason?: unknown };
  const words = typeof reason === 'string' ? reason : error.message.replace(HINT, '');
  return words.replace(/\s+/g, ' ').slice(0, MAX_REASON);
}
