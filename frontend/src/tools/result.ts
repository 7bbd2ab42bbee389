/** Results of tools as clients see them: one text, and for failures the request and the code. */
import type { StewardError } from '@steward/shared/errors.ts';
import { StreamedText, type JsonNode } from '../rpc/json-stream.ts';
import type { Rendered, Text } from './tool.ts';

export function textNode(text: Text): JsonNode {
  return typeof text === 'string' ? text : new StreamedText(text);
}

export interface Failure {
  readonly text: string;
  /** Code of the error registry. */
  readonly code: string;
}

/** `structured`: the data beside the text, where the client takes it. */
export function resultNode({ text, isError, meta }: Rendered, request: string, structured?: JsonNode): JsonNode {
  const failed = isError === true;
  const failure = failed ? failureMeta(request, 'SYSTEM') : {};
  const _meta = { ...failure, ...(meta as Readonly<Record<string, JsonNode>> | undefined) };
  return {
    content: [{ type: 'text', text: textNode(text) }],
    structuredContent: structured,
    isError: failed ? true : undefined,
    _meta: Object.keys(_meta).length === 0 ? undefined : _meta,
  };
}

export function failureNode({ text, code }: Failure, request: string): JsonNode {
  return { content: [{ type: 'text', text }], isError: true, _meta: failureMeta(request, code) };
}

/** The failure that an error of the registry is; `retryAsRoot` names the tool when the caller could have done it as root. */
export function failureOf(error: StewardError, retryAsRoot: string | undefined): Failure {
  const { errno } = error.params;
  const denied = errno === 'EACCES' || errno === 'EPERM';
  const hint =
    denied && retryAsRoot !== undefined
      ? ` (${retryAsRoot} is granted to you as root in grants.yaml: retry with privileged: true)`
      : '';
  return { text: error.message + hint, code: error.code };
}

function failureMeta(request: string, code: string): Readonly<Record<string, JsonNode>> {
  return { 'steward/request': request, 'steward/code': code };
}
