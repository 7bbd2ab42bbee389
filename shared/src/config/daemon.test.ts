/** daemon.yaml: defaults, bounds, and the text and line of every kind of fault. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDaemon } from './daemon.ts';
import { ConfigError } from './types.ts';

const FILE = '/etc/steward/daemon.yaml';

/** The message for a file, without its name: `<line>: <reason>`. */
function fault(source: string): string {
  try {
    parseDaemon(source, FILE);
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    assert.equal(error.message, `${FILE}:${error.line}: ${error.reason}`);
    return `${error.line}: ${error.reason}`;
  }
  return 'accepted';
}

test('an empty configuration has every default', () => {
  const config = parseDaemon('version: 1\n', FILE);
  assert.deepEqual(config.server.listen, ['0.0.0.0:9091', '[::]:9091']);
  assert.equal(config.server.tls.min_version, '1.2');
  assert.equal(config.limits.timeout_seconds, 30);
  assert.deepEqual(config.network, { deny_private: false, deny: ['169.254.0.0/16', 'fe80::/10', 'fd00:ec2::254/128'] });
  assert.deepEqual(config.tools, {});
  assert.ok(Object.isFrozen(config.server.tls.hosts));
});

test('what is written replaces its default and nothing else', () => {
  const config = parseDaemon(
    'version: 1\nserver: {listen: ["127.0.0.1:0"], tls: {enabled: false}}\nlimits: {requests_per_second: 0.5}\n' +
      'network: {deny_private: true}\ntools: {disks/usage: {timeout_seconds: 300}}\naudit: {reads: false}\n',
    FILE,
  );
  assert.deepEqual(config.server.listen, ['127.0.0.1:0']);
  assert.deepEqual([config.server.tls.enabled, config.server.tls.generate], [false, true]);
  assert.deepEqual([config.limits.requests_per_second, config.limits.burst], [0.5, 100]);
  assert.deepEqual([config.network.deny_private, config.network.deny.length], [true, 3]);
  assert.deepEqual(config.tools['disks/usage'], { timeout_seconds: 300 });
  assert.deepEqual([config.audit.reads, config.audit.keep_days], [false, 365]);
});

const FAULTS: readonly (readonly [source: string, expected: string])[] = [
  ['', '1: is empty'],
  ['# nothing\n', '1: is empty'],
  ['- 1\n', '1: the file must be a map'],
  ['server: {}\n', '1: version is required'],
  ['version: 2\n', '1: version must be 1'],
  ['version: "1"\n', '1: version must be 1'],
  [
    'version: 1\nlimit: {}\n',
    '2: unknown key "limit" (known here: version, server, broker, audit, logging, limits, catalogue, metrics, network, tools)',
  ],
  ['version: 1\nlimits:\n  burst: 1\n  timeout_seconds: 601\n', '4: timeout_seconds must be an integer from 1 to 600'],
  ['version: 1\nlimits: {timeout_seconds: 1.5}\n', '2: timeout_seconds must be an integer from 1 to 600'],
  ['version: 1\nlimits: {timeout_seconds: "30"}\n', '2: timeout_seconds must be an integer from 1 to 600'],
  ['version: 1\nlimits: {requests_per_second: 0}\n', '2: requests_per_second must be a number from 0.1 to 1000000'],
  ['version: 1\nlimits:\n', '2: limits must be a map'],
  ['version: 1\nlogging: {access_log: yes}\n', '2: access_log must be true or false'],
  ['version: 1\nlogging: {level: loud}\n', '2: level must be one of error, warn, info, debug'],
  ['version: 1\nserver: {tls: {min_version: 1.2}}\n', '2: min_version must be one of 1.2, 1.3'],
  ['version: 1\nserver: {listen: []}\n', '2: listen must be a list of 1 to 16 entries'],
  [
    'version: 1\nserver:\n  listen:\n    - 127.0.0.1:1\n    - localhost:1\n',
    '5: listen[1] must be an address:port like 127.0.0.1:9091, got "localhost:1"',
  ],
  ['version: 1\nserver: {listen: ["::1:80"]}\n', '2: listen[0] must be an address:port like 127.0.0.1:9091, got "::1:80"'],
  [
    'version: 1\nserver: {listen: ["127.0.0.1:65536"]}\n',
    '2: listen[0] must be an address:port like 127.0.0.1:9091, got "127.0.0.1:65536"',
  ],
  [
    'version: 1\nserver:\n  tls: {enabled: false}\n',
    '2: tls.enabled may be false only when every listen address is loopback, and 0.0.0.0:9091 is not',
  ],
  [
    'version: 1\nserver: {allowed_origins: [example.com]}\n',
    '2: allowed_origins[0] must be an origin like https://host:port, got "example.com"',
  ],
  ['version: 1\nbroker: {frontend_account: root}\n', '2: frontend_account must not have uid 0, got "root"'],
  ['version: 1\naudit: {directory: log}\n', '2: directory must be an absolute path, got "log"'],
  ['version: 1\nmetrics: {listen: "0.0.0.0:9"}\n', '2: listen must be empty or a loopback address:port, got "0.0.0.0:9"'],
  [
    'version: 1\nnetwork: {deny: [10.0.0.0/33]}\n',
    '2: deny[0] must be a network, an address, a host name or *.domain, got "10.0.0.0/33"',
  ],
  ['version: 1\ntools: {files/reed: {timeout_seconds: 1}}\n', '2: unknown tool "files/reed"'],
  ['version: 1\ntools: {files/read: {timeout_seconds: 121}}\n', '2: timeout_seconds must be an integer from 1 to 120'],
  ['version: 1\ntools: {files/read: {}}\n', '2: timeout_seconds is required'],
  ['version: 1\ncatalogue: {show: 1}\n', '2: show must be one of all, authorized'],
  ['version: 1\nbroker: {engine_socket: 5}\n', '2: engine_socket must be a string (write it in quotes)'],
  ['version: 1\nbroker: {engine_socket: "/a\\nb"}\n', '2: engine_socket must not contain control characters'],
  // abuse 108: broker
  // What YAML can do and these files may not.
  ['version: 1\nlimits: &x {burst: 1}\n', '2: anchors are not allowed'],
  ['version: 1\nserver: {listen: *x}\n', '2: aliases are not allowed'],
  ['a: &a [1]\nversion: 1\nb: *a\n', '1: anchors are not allowed'],
  ['version: 1\nlimits: !!map {}\n', '2: tags are not allowed'],
  ['version: !!int 1\n', '1: tags are not allowed'],
  ['version: 1\nlimits:\n  <<: {burst: 1}\n', '3: merge keys are not allowed'],
  ['version: 1\nlimits:\n  burst: 1\n  "burst": 2\n', '4: duplicate key "burst"'],
  ['version: 1\n---\nversion: 1\n', '2: only one document is allowed'],
  ['version: 1\n...\n', 'accepted'],
  ['%YAML 1.1\n---\nversion: 1\n', '1: directives are not allowed'],
  ['# x\n\n%TAG ! tag:x,2000:\n---\nversion: 1\n', '3: directives are not allowed'],
  ['version: 1\n? [a]\n: b\n', '2: keys must be strings'],
  ['version: 1\n1: b\n', '2: keys must be strings'],
  [
    'version: 1\n__proto__: {}\n',
    '2: unknown key "__proto__" (known here: version, server, broker, audit, logging, limits, catalogue, metrics, network, tools)',
  ],
];

for (const [source, expected] of FAULTS) {
  test(`${JSON.stringify(source)} -> ${expected.slice(0, 60)}`, () => assert.equal(fault(source), expected));
}

test('a message never spreads over lines', () => {
  assert.match(fault('version: 1\nserver: [\n  a\n'), /^\d+: not valid YAML: [^\n]+$/);
  assert.match(fault('version: 1\n\tserver: 1\n'), /^2: not valid YAML: [^\n]+$/);
});

// abuse 108: broker
test('bombs are refused quickly', () => {
  const aliases = ['a0: &a0 [x, x]', ...Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`)].join(
    '\n',
  );
  const cases: [string, RegExp][] = [
    [`version: 1\n${aliases}\n`, /anchors are not allowed|unknown key|not valid YAML/],
    ['['.repeat(100_000), /nested too deeply|not valid YAML/],
    [`version: 1\nserver: ${'{a: '.repeat(60)}${'}'.repeat(60)}`, /nested too deeply/],
    [`version: 1\n#${'x'.repeat(2 * 1024 * 1024)}`, /^1: larger than 1 MiB$/],
    [Array.from({ length: 60_000 }, (_, i) => `k${i}: 1`).join('\n'), /unknown key "k0"/],
  ];
  for (const [source, expected] of cases) {
    const begun = performance.now();
    assert.match(fault(source), expected);
    assert.ok(performance.now() - begun < 5000);
  }
});

test('accounts with uid 0 are refused under any name', () => {
  const accounts = new Map([
    ['root', 0],
    ['toor', 0],
    ['web', 33],
  ]);
  const source = (name: string): string => `version: 1\nbroker: {frontend_account: ${name}}\n`;
  assert.equal(parseDaemon(source('web'), FILE, accounts).broker.frontend_account, 'web');
  assert.throws(() => parseDaemon(source('toor'), FILE, accounts), /:2: frontend_account must not have uid 0, got "toor"/);
});
