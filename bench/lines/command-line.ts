/** stewardctl as whole processes, from the start to the end of their output, beside curl and a Node that does nothing. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeHome, type Home } from '../../test/support/ctl.ts';
import type { Pair } from '../../test/support/pair.ts';
import type { Bench } from '../lib/bench.ts';
import type { Contestant, Line } from '../lib/line.ts';
import { program, programPath } from '../lib/program.ts';

const ROUNDS = 21;

/** The home of somebody who has logged in. */
async function homeFor(bench: Bench): Promise<{ home: Home; pair: Pair }> {
  const { pair } = await bench.pair();
  const home = makeHome();
  home.contexts({ lab: { pair, user: 'ops' } });
  return { home, pair };
}

function stewardctl(home: Home, words: readonly string[], name = `stewardctl ${words.join(' ')}`): Contestant {
  return {
    name,
    run: async () => {
      const { exit, err } = await home.run(words);
      if (exit !== 0) throw new Error(`stewardctl ${words.join(' ')} ended with ${String(exit)}: ${err}`);
      return undefined;
    },
  };
}

/** What every process of Node costs before it does anything. */
const nothing: Contestant = { ...program('env', [process.execPath, '-e', '0'], { privileged: true }), name: 'node -e 0' };

/** Requests without a session, one after the other over one connection; the token is in a file, as it is for stewardctl. */
function curl(home: Home, pair: Pair, requests: readonly (readonly [method: string, tool?: string])[]): Contestant {
  const certificate = join(home.directory, 'ca.pem');
  const headers = join(home.directory, 'headers');
  writeFileSync(certificate, pair.ca);
  writeFileSync(headers, `Authorization: Bearer ${pair.token('ops')}\n`, { mode: 0o600 });
  const args = requests.flatMap(([method, tool], index) => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'curl', version: '1' },
    };
    const params = tool === undefined ? { _meta } : { name: tool, arguments: {}, _meta };
    return [
      ...(index === 0 ? [] : ['--next']),
      ...['-sS', '--fail', '--cacert', certificate, '-H', `@${headers}`, '-H', 'Content-Type: application/json'],
      ...['-H', 'Accept: application/json, text/event-stream', '-H', 'MCP-Protocol-Version: 2026-07-28'],
      ...['-H', `Mcp-Method: ${method}`, ...(tool === undefined ? [] : ['-H', `Mcp-Name: ${tool}`])],
      ...['-d', JSON.stringify({ jsonrpc: '2.0', id: index, method, params }), `${pair.url}/mcp`],
    ];
  });
  return { ...program('curl', args, { privileged: true }), name: `curl: ${requests.map(([method]) => method).join(', ')}` };
}

const call: Line = {
  name: 'command-line',
  prepare: async (bench) => {
    if (programPath('curl') === undefined) return { why: 'curl is not installed' };
    const { home, pair } = await homeFor(bench);
    const same = [['tools/list'], ['tools/call', 'cpu/list']] as const;
    return {
      contestants: [
        stewardctl(home, ['get', 'cpu']),
        curl(home, pair, same),
        curl(home, pair, [['server/discover'], ...same]),
        nothing,
      ],
      rounds: ROUNDS,
      note: 'whole processes, with a new connection each',
      close: () => home.remove(),
    };
  },
};

const completion: Line = {
  name: 'completion',
  prepare: async (bench) => {
    const { home } = await homeFor(bench);
    return {
      contestants: [
        stewardctl(home, ['__complete', '--', 'list', 'files', '--so'], 'a flag, from the cache'),
        stewardctl(home, ['__complete', '--', 'users', 'ad'], 'a command of the host administration'),
        nothing,
      ],
      rounds: ROUNDS,
      note: 'whole processes; the warm-up has filled the cache',
      close: () => home.remove(),
    };
  },
};

export const lines = [call, completion];
