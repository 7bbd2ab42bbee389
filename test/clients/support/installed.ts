/** Which of the real clients are installed here. They have a package and a lock of their own, since together they are large. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../support/pair.ts';

export const CLIENTS = join(ROOT, 'test/clients');

/** Whether a package is there; if not, the reason to give for leaving its tests out. */
export function missing(name: string): string | false {
  return existsSync(join(CLIENTS, 'node_modules', name, 'package.json'))
    ? false
    : `${name} is not installed: make test-clients installs it`;
}

const platform = `${process.platform}-${process.arch}`;

/** Claude Code itself; its package only starts it, once a script of installation has run. */
export const CLAUDE_CODE = join(CLIENTS, `node_modules/@anthropic-ai/claude-code-${platform}/claude`);

/** As `missing`, for that program. */
export function missingClaudeCode(): string | false {
  return missing('@anthropic-ai/claude-code') || (existsSync(CLAUDE_CODE) ? false : `there is no Claude Code for ${platform}`);
}
