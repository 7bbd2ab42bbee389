/**
 * Runs the README as a new user would: every shell example as it is printed, in a copy of this checkout, and compares what it says
 * with what is there. Only the port and the directory /srv/x are others, and `claude` is one that prints its arguments.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { loadSnapshot } from '@steward/shared/config/load.ts';
import { parseGrants } from '@steward/shared/config/grants.ts';
import { ROOT, eventually, isRoot } from '../support/pair.ts';
import { freePort } from '../support/port.ts';

const README = readFileSync(join(ROOT, 'README.md'), 'utf8');
/** What `make run` needs; as root nobody else can enter the copy, like a checkout below a closed home. */
const COPIED = ['Makefile', 'package.json', 'package-lock.json', 'packaging', 'scripts', 'dist'];
const SOURCES = ['shared', 'broker', 'frontend', 'cli', 'certs'];
const SWAPPINESS = '/proc/sys/vm/swappiness';

/** A make that runs these tests must not speak to the one that they start. */
const MAKE_OWN = /^(MAKE\w*|MFLAGS|CONFIG|PORT|HOME)$/;

const scratch = mkdtempSync(join(tmpdir(), 'steward-readme-'));
const checkout = join(scratch, 'checkout');
const ENV = { ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !MAKE_OWN.test(name))), HOME: scratch };
const srv = join(scratch, 'srv');
const swappiness = readFileSync(SWAPPINESS, 'utf8');
let port: number;
let daemon: ChildProcess;
let output = '';

/** The blocks of one language, in order, each with the port and the directory of this run. */
function blocks(language: string): string[] {
  const found = [...README.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map((match) => match[1] ?? '');
  assert.ok(found.length > 0, `no block of ${language}`);
  return found.map((text) => text.replaceAll('9091', String(port)).replaceAll('/srv/', `${srv}/`));
}

/** The one block of shell commands that holds a text. */
function shellBlock(mark: string): string {
  const [block, ...others] = blocks('sh').filter((text) => text.includes(mark));
  assert.ok(block !== undefined && others.length === 0, `exactly one block with ${mark}`);
  return block;
}

/** Runs commands in the copy as an interactive shell would, up to the first that fails. */
function shell(commands: string, prelude = ''): { status: number | null; stdout: string; stderr: string } {
  const script = `set -e\nshopt -s expand_aliases\n${prelude}\n${commands}`;
  return spawnSync('bash', ['-c', script], { cwd: checkout, env: ENV, encoding: 'utf8', timeout: 60_000 });
}

/** Runs commands after the block that makes `stewardctl` known. */
function stewardctl(commands: string): { status: number | null; stdout: string; stderr: string } {
  const alias = shellBlock('alias stewardctl=').split('\n')[0] ?? '';
  return shell(commands, alias);
}

function good({ status, stdout, stderr }: ReturnType<typeof shell>): string {
  assert.equal(status, 0, `${stdout}${stderr}`);
  return stdout;
}

before(async () => {
  port = await freePort();
  // The copies keep their times, so that nothing is built anew.
  execFileSync('mkdir', ['-p', srv, checkout]);
  execFileSync('cp', ['-a', ...[...COPIED, ...SOURCES].map((name) => join(ROOT, name)), checkout]);
  symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
  const [start = ''] = shellBlock('make run').split('\n');
  daemon = spawn('bash', ['-c', `exec ${start}`], {
    cwd: checkout,
    env: { ...ENV, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  for (const stream of [daemon.stdout, daemon.stderr]) stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
  await eventually(() => /info listening/.test(output) || daemon.exitCode !== null, 60_000);
  assert.match(output, /info listening/, output);
});

after(async () => {
  const ended = new Promise((done) => daemon.once('exit', done));
  if (daemon.exitCode === null) {
    process.kill(-(daemon.pid ?? 0), 'SIGINT');
    await ended;
  }
  if (isRoot) writeFileSync(SWAPPINESS, swappiness);
  rmSync(scratch, { recursive: true, force: true });
});

test('make run says where it serves and how to try it; make test is there', () => {
  assert.match(output, new RegExp(`^steward +https://127\\.0\\.0\\.1:${port}$`, 'm'));
  assert.match(shellBlock('make run'), /^make test /m);
  assert.match(readFileSync(join(ROOT, 'Makefile'), 'utf8'), /^test:/m);
});

test('a second start beside the first is refused in one line, and nothing of the first changes', () => {
  const { status, stderr } = shell('PORT=1 make run');
  assert.equal(status, 2);
  assert.match(stderr, /^run: steward runs here already: process \d+ writes [^\n]+\. End it first\nmake: [^\n]+\n$/);
  assert.match(readFileSync(join(checkout, '.run/url'), 'utf8'), new RegExp(`:${port}\n$`));
});

test('Claude Code is given the certificate, the address and the token', () => {
  const row = /^\| Claude Code \| `(claude mcp add .*)` \|$/m.exec(README)?.[1] ?? '';
  const variables = /^`(export NODE_EXTRA_CA_CERTS=.*)`$/m.exec(README)?.[1]?.replace('9091', String(port)) ?? '';
  const out = good(shell(`${variables}\n${row}\nprintenv NODE_EXTRA_CA_CERTS`, `claude() { printf '%s\n' "$@"; }`));
  const certificate = join(checkout, '.run/tls/steward.crt');
  const token = readFileSync(join(checkout, '.run/token'), 'utf8').trim();
  assert.deepEqual(out.trim().split('\n'), [
    ...['mcp', 'add', '--transport', 'http', 'steward', `https://127.0.0.1:${port}/mcp`],
    ...['--header', `Authorization: Bearer ${token}`, certificate],
  ]);
  assert.equal(existsSync(certificate), true);
});

test('the configuration of VS Code is JSON and asks for the token', () => {
  const [text = ''] = blocks('json');
  const { inputs, servers } = JSON.parse(text) as {
    inputs: { id: string; password: boolean }[];
    servers: Record<string, { type: string; url: string; headers: Record<string, string> }>;
  };
  assert.equal(inputs[0]?.password, true);
  assert.deepEqual(servers['steward'], {
    type: 'http',
    url: `https://127.0.0.1:${port}/mcp`,
    headers: { Authorization: `Bearer \${input:${inputs[0].id}}` },
  });
});

test('stewardctl finds the daemon by itself, on another port too', () => {
  const out = good(shell(shellBlock('alias stewardctl=')));
  for (const part of [
    /^User: +admin$/m,
    /^total \d+$/m,
    /^Load Average: /m,
    /^Mem: .*GiB/m,
    /^Usage: stewardctl chown files PATH OWNER/m,
  ])
    assert.match(out, part);
});

test('curl sees the wire', async () => {
  const [open = '', post = ''] = shellBlock('curl -N').split(/^(?:#.*\n)+/m);
  const printed = [...shellBlock('curl -N').matchAll(/^# (.*)$/gm)].map((match) => match[1] ?? '');
  const stream = spawn('bash', ['-c', `exec ${open}`], { cwd: checkout, stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    let text = '';
    stream.stdout.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    const endpoint = await eventually(() => /^data: .*\?(session_id=\S+)$/m.exec(text)?.[1]);
    const [event, data] = text.split('\n');
    const status = good(shell(post.replace('session_id=...', endpoint))).trimEnd();
    assert.deepEqual([event, data?.replace(/=.*/, '=...'), status], printed);
    await eventually(() => /"id":1,.*Load Average: /.test(text));
  } finally {
    stream.kill();
  }
});

test('a first grant', { skip: !isRoot && 'needs root to change an owner and a kernel parameter' }, () => {
  const out = good(stewardctl(shellBlock('grants add admin files/chown')));
  assert.match(out, /index\.html: root:root -> www-data/);
  assert.equal(readFileSync(SWAPPINESS, 'utf8'), '10\n');
  const [yaml = ''] = blocks('yaml');
  const printed = parseGrants(yaml, 'README.md').grants['admin']?.tools ?? {};
  const { grants } = loadSnapshot(join(checkout, '.run/config'));
  for (const [tool, { line: _line, ...grant }] of Object.entries(printed)) {
    const { line: _own, ...made } = grants['admin']?.tools[tool as 'files/chown'] ?? { line: 0 };
    assert.deepEqual(made, grant, tool);
  }
  assert.equal(Object.keys(printed).length, 2);
});

test('what the README says is refused, is', { skip: !isRoot && 'needs root for the grant' }, () => {
  symlinkSync('/etc/passwd', join(srv, 'x/link'));
  for (const [path, status] of Object.entries({ xx: 5, 'x/../../../../etc/passwd': 5, 'x/link': 1 })) {
    const answer = stewardctl(`stewardctl chown files ${srv}/${path} www-data --privileged`);
    assert.equal(answer.status, status, `${path}: ${answer.stderr}`);
    assert.match(answer.stderr, /^stewardctl: [^\n]+\n$/);
  }
});

test('what was decided and what was done', { skip: !isRoot && 'needs root for the grant' }, () => {
  const out = good(stewardctl(shellBlock('grants explain')));
  assert.match(out, /^allow {3}user admin may run files\/chown as root\nrule .*grants\.yaml:\d+/);
  assert.match(out, new RegExp(`outcome +admin/first@127\\.0\\.0\\.1 files/chown ${srv}/x/index\\.html OK of \\d+`));
  assert.match(out, /^good: \d+ records/m);
});

test('the table of tools is that of the server', () => {
  const rows = [...README.matchAll(/^\| ([a-z]+) \| ((?:`[a-z-]+` ?)+)/gm)];
  const listed = rows.flatMap(([, group = '', names = '']) =>
    [...names.matchAll(/`([a-z-]+)`/g)].map((match) => `${group}/${match[1] ?? ''}`),
  );
  const tools = JSON.parse(good(stewardctl('stewardctl tools -o json'))) as { name: string }[];
  assert.deepEqual(listed.sort(), tools.map(({ name }) => name).sort());
});

test('every path that the documents name is there', () => {
  const folders = 'shared|broker|frontend|cli|certs|scripts|test|docs|packaging|systemd|stubs';
  for (const document of ['README.md', 'SECURITY.md', 'docs/ARCHITECTURE.md']) {
    const text = readFileSync(join(ROOT, document), 'utf8');
    const named = [...text.matchAll(new RegExp(`\`((?:${folders})/[\\w./-]*)\``, 'g'))].map((match) => match[1] ?? '');
    // What is generated is not in a fresh checkout.
    const missing = named.filter((path) => !path.includes('/generated') && !existsSync(join(ROOT, path)));
    assert.deepEqual(missing, [], document);
  }
});
