/** The language settings of this host (locale(7), locale.conf(5)). Reads public files only. */
import { errnoOf, systemError } from '../errors.ts';
import { readText } from './procfs.ts';

const FILES = ['/etc/default/locale', '/etc/locale.conf'];
const SETTING = /^(LANG|LC_[A-Z]+)$/;

export interface LocaleSettings {
  /** The file, or `environment`. */
  readonly source: string;
  /** `NAME=value` in the order in which they stand there. */
  readonly settings: readonly string[];
}

/** The first of the files that exists; without any what this process was started with. Throws `read_system`. */
export async function readLocale(root: string, environment: NodeJS.ProcessEnv = process.env): Promise<LocaleSettings> {
  for (const path of FILES) {
    try {
      return { source: path, settings: parseLocale(await readText(root, path)) };
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw systemError('read_system', { path }, error);
    }
  }
  const own = Object.entries(environment).filter(([name, value]) => SETTING.test(name) && value !== undefined);
  return { source: 'environment', settings: own.map(([name, value = '']) => `${name}=${value}`) };
}

/** The settings of a file that shells read too: `export`, quotes and comments are not part of a value. */
function parseLocale(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const [, name = '', value = ''] = /^\s*(?:export\s+)?([A-Z_]+)=(.*)$/.exec(line) ?? [];
    return SETTING.test(name) ? [`${name}=${value.replace(/^(?:(["'])(.*?)\1|(\S*)).*$/, '$2$3')}`] : [];
  });
}
