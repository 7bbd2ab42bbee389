/** `ping` and `whoami`: whether the server answers, and whom it takes the caller for. */
import { formatOf } from '../call/call.ts';
import { EXIT } from '../exit.ts';
import { printDocument } from '../render/output.ts';
import { forTerminal } from '../safety.ts';
import { VERSION } from '../version.ts';
import { limitsOf, ownGrants } from './grants.ts';
import type { OwnCommand } from './own.ts';
import { readWords } from './words.ts';

export const ping: OwnCommand = {
  name: 'ping',
  usage: '',
  summary: 'Ask the server for a sign of life',
  run: async (call) => {
    readWords('ping', [], call);
    const { url } = await call.client.server();
    const start = performance.now();
    await call.client.ping();
    call.io.stdout.write(`${url.origin} answers in ${(performance.now() - start).toFixed(1)} ms\n`);
    return EXIT.done;
  },
};

export const whoami: OwnCommand = {
  name: 'whoami',
  usage: '',
  summary: 'Show user, root grants, server and versions',
  run: async (call) => {
    const { flags } = readWords('whoami', [], call);
    const { url, name, version, protocolVersion, user } = await call.client.server();
    const grants = await ownGrants(call.client);
    const limits = Object.fromEntries([...(grants ?? [])].map(([tool, grant]) => [tool, limitsOf(grant)]));
    const format = formatOf(flags);
    if (format !== 'text') {
      const about = { user: user ?? null, server: url.origin, name, version, protocol: protocolVersion, client: VERSION };
      await printDocument(call.io.stdout, { ...about, grants: limits }, { format, human: false, exact: false });
      return EXIT.done;
    }
    const lines = [
      `User:     ${user ?? 'not told by this server'}`,
      `Server:   ${url.origin} (${name} ${version}, protocol ${protocolVersion})`,
      `Client:   stewardctl ${VERSION}`,
      Object.keys(limits).length === 0 ? 'Root:     no grants' : 'Root:',
      ...Object.entries(limits).map(([tool, limit]) => `  ${tool}${limit === '' ? '' : ` (${limit})`}`),
    ];
    call.io.stdout.write(`${forTerminal(lines.join('\n'))}\n`);
    return EXIT.done;
  },
};
