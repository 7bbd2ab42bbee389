/** What help text and manual page both say beside the commands: exit codes, environment, files, and the grammar with examples. */

/** Exit codes with their meaning; `audit verify` has its own. */
export const EXIT_CODES: readonly (readonly [number, string])[] = [
  [0, 'done'],
  [1, 'failed'],
  [2, 'usage'],
  [3, 'no connection'],
  [4, 'not authenticated'],
  [5, 'not granted'],
  [130, 'interrupted'],
];

/** Command lines that show the grammar; a test runs them. */
export const EXAMPLES: readonly string[] = [
  'stewardctl list files /etc --all',
  'stewardctl get files /etc/hosts --start-line 2',
  'stewardctl create files /tmp/note --content @note.txt',
  'stewardctl sysctl kernel vm.swappiness 10 --privileged',
];

export const GRAMMAR = `Words without a flag fill the required arguments, then optional ones. A switch takes --all, --no-long or --long=false; a list is
a repeated flag, or everything behind --. A text given by name may be @FILE, - (standard input), or @@ for a literal @.`;

export const ENVIRONMENT: readonly (readonly [string, string])[] = [
  ['STEWARD_SERVER', 'Address of the daemon, like --server'],
  ['STEWARD_TOKEN', 'The token itself; it is never taken from the command line, which every account of the host can read'],
  ['STEWARD_CA', 'Certificate to trust, like --ca-file'],
  ['STEWARD_CONFIG_DIR', 'Configuration directory of the host commands, like --config-dir'],
  ['NO_COLOR', 'When set and not empty: no colour, also on a terminal'],
  ['EDITOR, VISUAL', 'The editor of config edit'],
];

export const FILES: readonly (readonly [string, string])[] = [
  ['~/.config/steward/config.yaml', 'Contexts: which daemons this account talks to'],
  ['~/.config/steward/tokens/', 'Tokens that login has stored, one file each, mode 0600'],
  ['~/.cache/steward/', 'Words for completion, kept for five minutes'],
  ['/etc/steward/', 'Configuration of the daemon of this host: daemon.yaml, users.yaml, grants.yaml'],
];
