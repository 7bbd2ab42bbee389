/** Lines of the log in both formats, and what a reload changes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Log } from './log.ts';

const line = { client: '192.0.2.1', user: 'alice', method: 'GET', uri: '/s x', status: 200, duration_ms: 3, request: 'ab12' };

function logOf(format: 'json' | 'text', level: 'info' | 'warn' = 'info'): { log: Log; lines: string[] } {
  const lines: string[] = [];
  return { log: new Log({ format, level, access_log: true }, { write: (text) => lines.push(text) }), lines };
}

test('JSON: one object a line with the fields of the request', () => {
  const { log, lines } = logOf('json');
  log.access(line);
  const { time, ...rest } = JSON.parse(lines[0] ?? '') as Record<string, unknown>;
  assert.match(String(time), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  assert.deepEqual(rest, { level: 'info', msg: 'request', ...line });
});

test('text: readable, one line whatever is in the values', () => {
  const { log, lines } = logOf('text');
  log.access({ ...line, user: '' });
  assert.match(
    lines[0] ?? '',
    /^\S+Z info request client=192\.0\.2\.1 user="" method=GET uri="\/s x" status=200 duration_ms=3 request=ab12\n$/,
  );
  log.warn('odd', { value: 'a\nb="c"\u0085' });
  assert.match(lines[1] ?? '', /warn odd value="a\\nb=\\"c\\"\\u0085"\n$/);
  log.warn('odder', { value: '\u009b31m', list: ['\x7f'] });
  assert.match(lines.pop() ?? '', /odder value="\\u009b31m" list=\["\\u007f"\]\n$/);
  log.error('broken', new Error('why'), { request: 'r' });
  assert.match(lines[2] ?? '', /error broken request=r error="Error: why\\n {4}at /);
});

test('level and access log follow the configuration', () => {
  const { log, lines } = logOf('text', 'warn');
  log.info('quiet');
  log.configure({ level: 'info', access_log: false });
  log.info('heard');
  log.access(line);
  log.configure({ level: 'info', access_log: true });
  log.access(line);
  assert.deepEqual(
    lines.map((text) => text.split(' ')[2]),
    ['heard\n', 'request'],
  );
});
