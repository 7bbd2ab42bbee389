/** The completion of stewardctl in the shells themselves: what a line that is being typed is completed with. Test only. */
import { execFileSync, spawnSync } from 'node:child_process';
import type { Home } from './ctl.ts';
import { openTerminal } from './terminal.ts';

/** Why tests in that shell cannot run here; false when they can. */
export function missing(shell: string): string | false {
  return spawnSync(shell, ['-c', 'true']).error === undefined ? false : `${shell} is not installed`;
}

const nonEmpty = (text: string): string[] => text.split('\n').filter((line) => line !== '');

/** Bash, as readline asks it: the line, and the words that readline has cut it into. */
export function inBash({ env }: Home, line: string, ...words: readonly string[]): string[] {
  const script = [
    'source <(stewardctl completion bash)',
    'COMP_LINE=$1 COMP_POINT=${#1}; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))',
    '_stewardctl; printf "%s\\n" "${COMPREPLY[@]}"',
  ].join('\n');
  return nonEmpty(execFileSync('bash', ['--norc', '-c', script, 'bash', line, ...words], { env, encoding: 'utf8' }));
}

/** Fish: one word a line, with a tab before what it means. */
export function inFish({ env }: Home, line: string): string[] {
  const script = 'stewardctl completion fish | source; complete -C "$argv[1]"';
  return nonEmpty(execFileSync('fish', ['--no-config', '-c', script, line], { env, encoding: 'utf8' }));
}

/** How an interactive shell is started without anybody's settings, and what it is told first. */
const INTERACTIVE = {
  bash: { command: ['bash', '--norc', '--noprofile', '-i'], load: 'source <(stewardctl completion bash)' },
  zsh: {
    command: ['zsh', '-f', '-i'],
    load: 'autoload -Uz compinit && compinit -u -D; source <(stewardctl completion zsh)',
  },
} as const;

/**
 * Types on a terminal, a tab behind each piece, and waits until the shell has written the rest of the word. Rejects when it never
 * does.
 *
 * @param pieces what is typed before each tab, and what the shell then has to add
 */
export async function typedIn(
  shell: keyof typeof INTERACTIVE,
  { env }: Home,
  pieces: readonly (readonly [typed: string, added: string | RegExp])[],
): Promise<void> {
  const { command, load } = INTERACTIVE[shell];
  const terminal = openTerminal(command, { env: { ...env, PS1: '$ ' } });
  try {
    terminal.type(`${load}; echo ready-$((40+2))\n`);
    let place = await terminal.shows('ready-42');
    for (const [typed, added] of pieces) {
      terminal.type(`${typed}\t`);
      place = await terminal.shows(added, place);
    }
  } finally {
    await terminal.close();
  }
}
