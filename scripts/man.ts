/**
 * Writes the manual pages to dist/man, in the folders in which man(1) looks for them, and what shells load to dist/completion, under
 * the names by which they find it. Build time only.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SCRIPTS } from '../cli/src/completion/scripts.ts';
import { manual } from '../cli/src/manual/all.ts';
import { configurationPage, stewardctlPage, stewardPage } from '../cli/src/manual/pages.ts';
import { toRoff } from '../cli/src/manual/roff.ts';
import { VERSION } from '../cli/src/version.ts';
import { ROOT, replaceFile } from './lib/sources.ts';

const daemon = readFileSync(join(ROOT, 'packaging/daemon.yaml'), 'utf8');
for (const page of [stewardctlPage(await manual(), VERSION), stewardPage(VERSION), configurationPage(daemon, VERSION)]) {
  const directory = join(ROOT, 'dist/man', `man${page.section}`);
  mkdirSync(directory, { recursive: true });
  replaceFile(join(directory, `${page.name}.${page.section}`), toRoff(page));
}

const COMPLETION = join(ROOT, 'dist/completion');
const NAMES = { bash: 'stewardctl.bash', zsh: '_stewardctl', fish: 'stewardctl.fish' } as const;
mkdirSync(COMPLETION, { recursive: true });
for (const shell of ['bash', 'zsh', 'fish'] as const) replaceFile(join(COMPLETION, NAMES[shell]), SCRIPTS[shell] ?? '');
