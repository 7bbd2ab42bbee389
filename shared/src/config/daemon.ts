/**
 * daemon.yaml: every key with its default and bounds. Both processes read the text with this one reader, so it touches no file.
 */
import { TOOL_FACTS, isToolName, toolFacts, type ToolName } from '../catalogue/facts.ts';
import { ROOT_ONLY, type AccountUids } from './accounts.ts';
import { isLoopback, parseListen } from './network.ts';
import {
  bool,
  deepFreeze,
  fields,
  integer,
  Item,
  list,
  map,
  mapping,
  number,
  oneOf,
  string,
  text,
  type Reader,
} from './reader.ts';
import { ACCOUNT, absolutePath, certificateName, listenAddress, policyEntry } from './scalars.ts';
import type { DaemonConfig, NetworkPolicy } from './types.ts';
import { parseYaml } from './yaml.ts';

const version: Reader<1> = (item) => (item.node.kind === 'scalar' && item.node.value === 1 ? 1 : item.mustBe('1'));

/** The reader of `version`, alike in all three files. */
export const fileVersion = version;

const origin = string(/^[a-z][a-z0-9+.-]*:\/\/[^/\s]+$/i, 'an origin like https://host:port');
const fileName = string(/^[^\0]{1,4095}$/, 'a file name');

const tls = (item: Item): DaemonConfig['server']['tls'] => {
  const read = fields(item, {
    enabled: bool,
    cert_file: fileName,
    key_file: fileName,
    generate: bool,
    hosts: list(certificateName),
    min_version: oneOf('1.2', '1.3'),
  });
  return {
    enabled: true,
    cert_file: 'tls/steward.crt',
    key_file: 'tls/steward.key',
    generate: true,
    hosts: [],
    min_version: '1.2',
    ...read,
  };
};

const DEFAULT_LISTEN = ['0.0.0.0:9091', '[::]:9091'];

/** Without TLS tokens would cross the network readable, so plain HTTP may listen on loopback only. */
const server = (item: Item): DaemonConfig['server'] => {
  const read = fields(item, {
    listen: list(listenAddress, 1, 16),
    allowed_origins: list(origin),
    sse_keepalive_seconds: integer(1, 300),
    tls,
  });
  const whole = {
    listen: DEFAULT_LISTEN,
    allowed_origins: [],
    sse_keepalive_seconds: 15,
    ...read,
    tls: read.tls ?? tls(emptyMap(item)),
  };
  const open = whole.listen.find((one) => !isLoopback(parseListen(one)?.address ?? ''));
  if (!whole.tls.enabled && open !== undefined) {
    item.fail(`tls.enabled may be false only when every listen address is loopback, and ${open} is not`);
  }
  return whole;
};

const broker = (accounts: AccountUids): Reader<DaemonConfig['broker']> => {
  const account = map(string(ACCOUNT, 'an account name'), (name, item) =>
    accounts.get(name) === 0 ? item.fail(`frontend_account must not have uid 0, got "${name}"`) : name,
  );
  return (item) => ({
    engine_socket: '/var/run/docker.sock',
    frontend_account: 'steward',
    ...fields(item, { engine_socket: absolutePath, frontend_account: account }),
  });
};

const audit = (item: Item): DaemonConfig['audit'] => ({
  directory: '/var/log/steward/audit',
  segment_bytes: 16_777_216,
  keep_days: 365,
  reads: true,
  seal_seconds: 60,
  ...fields(item, {
    directory: absolutePath,
    segment_bytes: integer(4096, 4_294_967_296),
    keep_days: integer(1, 36_500),
    reads: bool,
    seal_seconds: integer(1, 3600),
  }),
});

const logging = (item: Item): DaemonConfig['logging'] => ({
  level: 'info',
  format: 'text',
  access_log: true,
  ...fields(item, { level: oneOf('error', 'warn', 'info', 'debug'), format: oneOf('text', 'json'), access_log: bool }),
});

const limits = (item: Item): DaemonConfig['limits'] => ({
  timeout_seconds: 30,
  max_body_bytes: 16_777_216,
  max_sessions: 256,
  max_sessions_per_user: 16,
  session_idle_seconds: 14_400,
  max_calls_per_session: 16,
  requests_per_second: 50,
  burst: 100,
  auth_failures_per_minute: 10,
  ...fields(item, {
    timeout_seconds: integer(1, 600),
    max_body_bytes: integer(1024, 67_108_864),
    max_sessions: integer(1, 100_000),
    max_sessions_per_user: integer(1, 100_000),
    session_idle_seconds: integer(60, 604_800),
    max_calls_per_session: integer(1, 1024),
    requests_per_second: number(0.1, 1_000_000),
    burst: integer(1, 1_000_000),
    auth_failures_per_minute: integer(1, 10_000),
  }),
});

const catalogue = (item: Item): DaemonConfig['catalogue'] => ({
  show: 'all',
  names: 'slash',
  read_only: false,
  ...fields(item, { show: oneOf('all', 'authorized'), names: oneOf('slash', 'underscore'), read_only: bool }),
});

const metricsListen: Reader<string> = map(text, (value, item) => {
  const address = parseListen(value)?.address;
  const right = value === '' || (address !== undefined && isLoopback(address));
  return right ? value : item.mustBe(`empty or a loopback address:port, got "${value}"`);
});

const metrics = (item: Item): DaemonConfig['metrics'] => ({ listen: '', ...fields(item, { listen: metricsListen }) });

/** A network policy with nothing but what is written; a grant's policy has no deny list of its own accord. */
export const networkPolicy = (item: Item): NetworkPolicy => ({
  deny_private: false,
  deny: [],
  ...fields(item, { deny_private: bool, allow: list(policyEntry), deny: list(policyEntry) }),
});

/** Link-local addresses are where clouds serve credentials. */
const DEFAULT_DENY = ['169.254.0.0/16', 'fe80::/10', 'fd00:ec2::254/128'];

const network = (item: Item): NetworkPolicy => {
  const denies = item.node.kind === 'map' && item.node.entries.some((entry) => entry.key === 'deny');
  const policy = networkPolicy(item);
  return denies ? policy : { ...policy, deny: DEFAULT_DENY };
};

/** Refuses a name that is no tool. */
export function mustBeTool(item: Item): asserts item is Item & { readonly name: ToolName } {
  if (!isToolName(item.name)) item.fail(`unknown tool "${item.name}"`);
}

const toolLimits = mapping(mustBeTool, (item) => {
  const cap = toolFacts(item.name as ToolName).maxTimeoutSeconds;
  const read = fields(item, { timeout_seconds: integer(1, cap) }, ['timeout_seconds']);
  return { timeout_seconds: read.timeout_seconds ?? cap };
});

const tools: Reader<DaemonConfig['tools']> = (item) => {
  const read = toolLimits(item);
  const names = Object.keys(TOOL_FACTS) as ToolName[];
  return Object.fromEntries(names.flatMap((name) => (read.has(name) ? [[name, read.get(name)]] : [])));
};

/** Stands for a block that is not written, so that its defaults come from its own reader. */
function emptyMap(item: Item): Item {
  return new Item({ kind: 'map', line: item.line, entries: [] }, item.name, item.file);
}

/**
 * Reads daemon.yaml. `file` is its full path, for messages. `accounts` lets the broker refuse a frontend account with uid 0
 * under any name; without it only `root` is refused. Throws ConfigError.
 */
export function parseDaemon(source: string, file: string, accounts: AccountUids = ROOT_ONLY): DaemonConfig {
  const root = new Item(parseYaml(source, file), 'the file', file);
  const blocks = { server, broker: broker(accounts), audit, logging, limits, catalogue, metrics, network, tools };
  const read = fields(root, { version, ...blocks }, ['version']);
  const empty = emptyMap(root);
  return deepFreeze({
    version: 1 as const,
    server: read.server ?? server(empty),
    broker: read.broker ?? blocks.broker(empty),
    audit: read.audit ?? audit(empty),
    logging: read.logging ?? logging(empty),
    limits: read.limits ?? limits(empty),
    catalogue: read.catalogue ?? catalogue(empty),
    metrics: read.metrics ?? metrics(empty),
    network: read.network ?? network(empty),
    tools: read.tools ?? {},
  });
}
