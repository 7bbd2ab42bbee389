/** Proves the recognition of file types by their first bytes. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { detectMime, isBinary } from './mime.ts';

const BINARY: readonly [string, string][] = [
  ['\x89PNG\r\n\x1a\n\0\0', 'image/png'],
  ['\xff\xd8\xff\xe0\0\x10JFIF', 'image/jpeg'],
  ['GIF89a\x01\0', 'image/gif'],
  ['RIFF\0\0\0\0WEBPVP8 ', 'image/webp'],
  ['RIFF\0\0\0\0WAVEfmt ', 'audio/wav'],
  ['%PDF-1.7\n', 'application/pdf'],
  ['PK\x03\x04\x14\0', 'application/zip'],
  ['\x1f\x8b\x08\0', 'application/gzip'],
  ['BZh91AY&SY\0', 'application/x-bzip2'],
  ['\xfd7zXZ\0\0', 'application/x-xz'],
  ['\x28\xb5\x2f\xfd\0', 'application/zstd'],
  [`${'name'.padEnd(257, '\0')}ustar\0`, 'application/x-tar'],
  ['SQLite format 3\0', 'application/vnd.sqlite3'],
  ['\0\0\0\x20ftypisom', 'video/mp4'],
  ['OggS\0\x02', 'application/ogg'],
  ['fLaC\0\0', 'audio/flac'],
  ['ID3\x04\0\0', 'audio/mpeg'],
  ['\xff\xfb\x90\x64\0', 'audio/mpeg'],
  ['wOFF\0\x01', 'font/woff'],
  ['wOF2\0\x01', 'font/woff2'],
  ['\xca\xfe\xba\xbe\0\0\0\x34', 'application/java-vm'],
  ['\0asm\x01\0\0\0', 'application/wasm'],
  ['\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\x3e\0', 'application/x-executable'],
  ['\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3e\0', 'application/x-sharedlib'],
  ['nothing\0known', 'application/octet-stream'],
  ['latin1 \xe9t\xe9', 'application/octet-stream'],
  ['\xff\xfea\0', 'text/plain; charset=utf-16le'],
  ['\xfe\xff\0a', 'text/plain; charset=utf-16be'],
];

const TEXT: readonly [string, string][] = [
  ['', 'inode/x-empty'],
  ['hello\n', 'text/plain; charset=utf-8'],
  ['héllo ☃\n', 'text/plain; charset=utf-8'],
  ['BMW is a car', 'text/plain; charset=utf-8'],
  ['#!/bin/sh\necho', 'text/x-shellscript'],
  ['#!/usr/bin/env -S python3 -u\n', 'text/x-python'],
  ['#!/opt/thing\n', 'text/x-script'],
  ['<?xml version="1.0"?>', 'text/xml; charset=utf-8'],
  ['\n <!DOCTYPE html><html>', 'text/html; charset=utf-8'],
  ['{"a": [1, 2]}\n', 'application/json'],
  ['[1, 2]', 'application/json'],
  ['{"a": ', 'text/plain; charset=utf-8'],
  ['[section]\nkey=1', 'text/plain; charset=utf-8'],
  ['[1, 2', 'text/plain; charset=utf-8'],
];

test('magic numbers', () => {
  for (const [bytes, mime] of BINARY) assert.equal(detectMime(Buffer.from(bytes, 'latin1'), true), mime, JSON.stringify(bytes));
});

test('text', () => {
  for (const [text, mime] of TEXT) assert.equal(detectMime(Buffer.from(text), true), mime, text);
});

test('a character or document cut off at 8 KiB is judged by what is there', () => {
  const cut = Buffer.from(`${'a'.repeat(8191)}é`).subarray(0, 8192);
  assert.equal(detectMime(cut, false), 'text/plain; charset=utf-8');
  assert.equal(detectMime(cut, true), 'application/octet-stream');
  assert.equal(detectMime(Buffer.from(`{"key": "${'x'.repeat(9000)}`).subarray(0, 8192), false), 'application/json');
});

test('programs of this host, and what is binary', () => {
  assert.match(detectMime(readFileSync('/bin/ls').subarray(0, 8192), false), /^application\/x-(executable|sharedlib)$/);
  assert.ok(isBinary(Buffer.from('a\0')) && !isBinary(Buffer.from('é\xff')));
  assert.ok(!isBinary(Buffer.concat([Buffer.alloc(8192, 'a'), Buffer.from('\0')])));
});
