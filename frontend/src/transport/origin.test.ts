/** Origins of pages that may talk to us, and of those that may not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { X509Certificate } from 'node:crypto';
import { OriginRule } from './origin.ts';

const certificate = {
  checkHost: (name: string) => (name === 'srv.example' ? name : undefined),
  checkIP: (address: string) => (address === '192.0.2.7' ? address : undefined),
} as X509Certificate;
const rule = new OriginRule(['https://Inspector.example:8443'], certificate);

test('no origin, loopback on any port, our own names and configured origins are served', () => {
  const good = [
    undefined,
    'http://localhost',
    'http://localhost:6274',
    'https://127.0.0.1:9091',
    'http://127.8.9.1',
    'http://[::1]:5173',
    'https://srv.example',
    'https://SRV.example:9091',
    'https://192.0.2.7:9091',
    'https://inspector.example:8443',
  ];
  for (const origin of good) assert.equal(rule.permits(origin), true, origin);
});

test('everything else is refused', () => {
  const bad = [
    'null',
    '',
    'https://evil.example',
    'http://localhost.evil.example',
    'http://127.0.0.1.evil.example',
    'http://localhost@evil.example',
    'http://evil.example#localhost',
    'http://localhost/path',
    'http://localhost, http://evil.example',
    'file://localhost',
    'https://inspector.example',
    'https://192.0.2.8',
    'http://',
    'localhost',
  ];
  for (const origin of bad) assert.equal(rule.permits(origin), false, origin);
});

test('without a certificate only loopback and the list remain', () => {
  assert.equal(new OriginRule([], undefined).permits('https://srv.example'), false);
  assert.equal(new OriginRule([], undefined).permits('http://localhost:1'), true);
});
