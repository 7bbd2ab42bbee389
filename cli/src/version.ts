/** The version of this program, from its workspace's package.json. */
import about from '../package.json' with { type: 'json' };

export const VERSION: string = about.version;
