/**
 * Answers of the server as this program uses them, read leniently but never trusted to have a shape, and the meaning of its
 * errors for the exit code.
 */
import { isObject, type JsonObject } from '../grammar/argument.ts';
import { CliError, EXIT, unreachable } from '../exit.ts';

/** Result of `tools/call` and of `resources/read`. */
export interface Answer {
  readonly text: string;
  readonly isError: boolean;
  /** `steward/code` of a failure, for instance `NOT_GRANTED`. */
  readonly code: string;
  /** `steward/request`: the id that the daemon's access log and audit records carry. */
  readonly request: string | undefined;
  /** Media type of a resource; empty for a tool. */
  readonly mimeType: string;
}

/** Codes that mean: the caller lacks a grant. */
const UNGRANTED: readonly string[] = ['NOT_GRANTED', 'RESTRICTED'];

function exitOf(code: string): number {
  if (UNGRANTED.includes(code)) return EXIT.refused;
  return code === 'UNAUTHENTICATED' ? EXIT.unauthenticated : EXIT.failed;
}

function marks(holder: unknown): { code: string; request: string | undefined } {
  const meta = isObject(holder) ? holder : {};
  const { 'steward/code': code, 'steward/request': request } = meta;
  return { code: typeof code === 'string' ? code : '', request: typeof request === 'string' ? request : undefined };
}

function textsOf(list: unknown): string {
  if (!Array.isArray(list)) throw unreachable('the server answered without content');
  return list.map((item: unknown) => (isObject(item) && typeof item['text'] === 'string' ? item['text'] : '')).join('');
}

export function toolAnswer(result: JsonObject): Answer {
  return { text: textsOf(result['content']), isError: result['isError'] === true, ...marks(result['_meta']), mimeType: '' };
}

export function resourceAnswer(result: JsonObject): Answer {
  const contents = result['contents'];
  const first: unknown = Array.isArray(contents) ? contents[0] : undefined;
  const mimeType = isObject(first) && typeof first['mimeType'] === 'string' ? first['mimeType'] : '';
  return { text: textsOf(contents), isError: false, ...marks(result['_meta']), mimeType };
}

/** Who can do something about a refusal, and how. */
const NEXT: Readonly<Record<string, string>> = {
  NOT_GRANTED: '; on its host `stewardctl grants add` grants it',
  RESTRICTED: '; on its host `stewardctl grants explain` says which line decides',
};

/** A failure that the daemon told, with its exit code and, after a refusal, what can be done about it. */
function toldFailure(exit: number, code: string, text: string, request: string | undefined): CliError {
  const next = Object.hasOwn(NEXT, code) ? NEXT[code] : undefined;
  return new CliError(exit, next === undefined ? text : `${text.trimEnd()}${next}`, request);
}

/** The failure in an answer, with its exit code. */
export function failureOf({ code, text, request }: Answer): CliError {
  return toldFailure(exitOf(code), code, text, request);
}

/** Errors of JSON-RPC that mean the two sides do not understand each other (JSON-RPC 2.0, section 5.1). */
const PROTOCOL_ERRORS: readonly unknown[] = [-32700, -32600, -32601];

/** A JSON-RPC error object as an error of this program. */
export function rpcFailure(error: unknown): CliError {
  const { code, message, data } = isObject(error) ? error : {};
  const { code: steward, request } = marks(data);
  const exit = PROTOCOL_ERRORS.includes(code) ? EXIT.unreachable : exitOf(steward);
  return toldFailure(exit, steward, typeof message === 'string' ? message : 'the server answered with an error', request);
}

/** A refused HTTP request as an error of this program. */
export function httpFailure(url: URL, status: number, body: string): CliError {
  if (status === 401) {
    const next = 'on its host `stewardctl users token rotate NAME ID` makes another';
    return new CliError(
      EXIT.unauthenticated,
      `${url.origin} does not accept the token (401 ${body.trim() || 'Unauthorized'}): ${next}`,
    );
  }
  const reason = body.trim().slice(0, 200);
  return unreachable(`${url.origin}${url.pathname} answered ${status}${reason === '' ? '' : `: ${reason}`}`);
}
