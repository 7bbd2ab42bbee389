/** Short answers of the HTTP layer: everything that is not a stream. */
import type { ServerResponse } from 'node:http';
import { encodeJson, type JsonNode } from '../rpc/json-stream.ts';

type Headers = Readonly<Record<string, string>>;

export function answerText(response: ServerResponse, status: number, text: string, headers: Headers = {}): void {
  answer(response, status, 'text/plain; charset=utf-8', text, headers);
}

/** A JSON document of one line. */
export function answerJson(response: ServerResponse, status: number, node: JsonNode, headers: Headers = {}): void {
  const text = encodeJson(node);
  if (typeof text !== 'string') throw new TypeError('short answers are never streamed');
  answerEncoded(response, status, text, headers);
}

/** As `answerJson`, with a document that has been written. */
export function answerEncoded(response: ServerResponse, status: number, text: string, headers: Headers = {}): void {
  answer(response, status, 'application/json', text, headers);
}

/** 202: it was taken, and its answer, if it has one, comes another way. */
export function answerAccepted(response: ServerResponse): void {
  if (!response.headersSent && !response.destroyed) response.writeHead(202, { 'Content-Length': '0' }).end();
}

/** 204, for preflights. */
export function answerEmpty(response: ServerResponse, headers: Headers): void {
  if (!response.headersSent) response.writeHead(204, headers).end();
}

function answer(response: ServerResponse, status: number, type: string, text: string, headers: Headers): void {
  if (response.headersSent || response.destroyed) return;
  // As a string the body goes out in one write with the head.
  const size = Buffer.byteLength(text);
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': size, ...headers }).end(text);
}
