/** stewardctl grants explain, without what it needs: all operations with their schemas, which no other command of the host reads. */
import type { HostCommand } from './command.ts';

export const explainCommands: readonly HostCommand[] = [
  {
    path: ['grants', 'explain'],
    usage: 'USER TOOL [arguments]',
    summary: 'Say whether a call would be allowed, and by which line',
    options: [],
    run: async (call) => (await import('./explain.ts')).explain(call),
  },
];
