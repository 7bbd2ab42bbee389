/**
 * The manual pages stewardctl(1), steward(8) and steward.yaml(5). Commands, options and exit codes come from the definitions
 * that the parser reads, restrictions of grants from the catalogue, keys of daemon.yaml from the file that is shipped.
 */
import { TOOL_FACTS, toolFacts, type RestrictionKey, type ToolName } from '@steward/shared/catalogue/facts.ts';
import { OPTIONS, type OptionSpec } from '../options.ts';
import type { Manual } from './all.ts';
import { optionSummary, optionText, synopsis, type ManualEntry } from './entry.ts';
import { ENVIRONMENT, EXAMPLES, EXIT_CODES, FILES, GRAMMAR } from './facts.ts';
import type { Item, Page, Section } from './roff.ts';

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ');
}

function commandItem(entry: ManualEntry): Item {
  const options = entry.options.map((option) => `${optionText(option)}: ${optionSummary(option)}.`);
  return [synopsis(entry), [`${entry.summary}.`, ...entry.details, ...options].join('\n')];
}

function optionItem({ name, short, value, summary }: OptionSpec): Item {
  const long = `--${name}${value === undefined ? '' : ` ${value}`}`;
  return [short === undefined ? long : `-${short}, ${long}`, `${summary}.`];
}

/** The command line. */
export function stewardctlPage({ own, host }: Manual, version: string): Page {
  const sections: Section[] = [
    {
      title: 'DESCRIPTION',
      text: [
        'stewardctl drives a steward daemon over its network protocol, from anywhere, and administers the installation on the host ' +
          'that it runs on. What verbs and groups there are, the server says: stewardctl tools lists them, stewardctl explain GROUP ' +
          'describes them, and what a newer server adds works at once.',
        oneLine(GRAMMAR),
        'A command of stewardctl itself gives way when the next word is a group in which the server has such a verb.',
      ],
    },
    { title: 'OPTIONS', items: (OPTIONS as readonly OptionSpec[]).map(optionItem) },
    { title: 'COMMANDS', items: own.map(commandItem) },
    {
      title: 'HOST ADMINISTRATION',
      text: ['These work on the configuration directory of this host; edits keep comments and order.'],
      items: host.map(commandItem),
    },
    { title: 'EXIT STATUS', items: EXIT_CODES.map(([code, meaning]): Item => [String(code), meaning]) },
    { title: 'ENVIRONMENT', items: ENVIRONMENT },
    { title: 'FILES', items: FILES },
    { title: 'EXAMPLES', lines: EXAMPLES },
    { title: 'SEE ALSO', text: ['steward(8), steward.yaml(5)'] },
  ];
  return {
    name: 'stewardctl',
    section: 1,
    version,
    about: 'client and administration of the steward daemon',
    synopsis: ['stewardctl [options] VERB GROUP [arguments] [--name value ...]', 'stewardctl [options] COMMAND'],
    sections,
  };
}

/** The daemon. */
export function stewardPage(version: string): Page {
  const sections: Section[] = [
    {
      title: 'DESCRIPTION',
      text: [
        'steward lets an agent or an administrator inspect and run this host over the Model Context Protocol. It is two processes: ' +
          'steward-frontend faces the network and has no privilege; steward-broker runs as root, faces nothing but the frontend, ' +
          'and does only what one table allows and a grant permits.',
        'Under systemd the frontend is a service and the broker is started by its socket. Without systemd a launcher does the same.',
      ],
    },
    {
      title: 'SIGNALS',
      items: [
        ['SIGHUP', 'Read the configuration again, as daemon/reload-config and stewardctl reload do: all of it or nothing.'],
        ['SIGTERM, SIGINT', 'Finish what runs within a few seconds and end.'],
      ],
    },
    {
      title: 'FILES',
      items: [
        ['/etc/steward/', 'daemon.yaml, users.yaml and grants.yaml, see steward.yaml(5); tls/ holds certificate and key.'],
        ['/var/log/steward/audit/', 'The audit log: stewardctl audit show and stewardctl audit verify read it.'],
        ['/var/lib/steward/', 'State of the broker, for root alone.'],
      ],
    },
    { title: 'SEE ALSO', text: ['stewardctl(1), steward.yaml(5)'] },
  ];
  return {
    name: 'steward',
    section: 8,
    version,
    about: 'privilege-separated administration daemon',
    synopsis: ['steward'],
    sections,
  };
}

function toolsWith(key: RestrictionKey): string {
  const tools = (Object.keys(TOOL_FACTS) as ToolName[]).filter((name) => toolFacts(name).restrictions.includes(key));
  return tools.join(', ');
}

function restrictionItems(): Item[] {
  const keys = [...new Set((Object.keys(TOOL_FACTS) as ToolName[]).flatMap((name) => toolFacts(name).restrictions))];
  return keys.map((key): Item => [key, `Taken by ${toolsWith(key)}.`]);
}

/** The configuration files. `daemon`: the shipped daemon.yaml, whose comments say what each key means. */
export function configurationPage(daemon: string, version: string): Page {
  const sections: Section[] = [
    {
      title: 'DESCRIPTION',
      text: [
        'steward reads three files: daemon.yaml (addresses, limits), users.yaml (who may connect) and grants.yaml (who may do what ' +
          'as root). They are strict: an unknown key, a wrong type or a file that others can write is refused with file, line and ' +
          'reason, and then nothing of a change is applied. stewardctl config check validates them.',
      ],
    },
    { title: 'DAEMON.YAML', lines: daemon.trimEnd().split('\n') },
    {
      title: 'USERS.YAML',
      text: ['A list of users, each with its tokens as salted hashes; stewardctl users writes it.'],
      lines: [
        'version: 1',
        'users:',
        '  - name: alice',
        '    account: alice                  # OS account; "" for none',
        '    not_after: 2027-06-30T00:00:00Z # may be absent',
        '    cidrs: [10.0.0.0/8]             # may be absent',
        '    tokens:',
        '      - {id: laptop, salt: HEX, hash: HEX}',
      ],
    },
    {
      title: 'GRANTS.YAML',
      text: [
        'What each user may do as root: a map of tools, each with allowed and the restrictions that it takes. stewardctl grants ' +
          'writes it, stewardctl grants explain says what would be decided.',
      ],
      items: restrictionItems(),
      lines: ['version: 1', 'users:', '  alice:', '    tools:', '      files/read: {allowed: true, paths: [/var/log]}'],
    },
    { title: 'SEE ALSO', text: ['steward(8), stewardctl(1)'] },
  ];
  return {
    name: 'steward.yaml',
    section: 5,
    version,
    about: 'configuration files of the steward daemon',
    synopsis: ['/etc/steward/daemon.yaml', '/etc/steward/users.yaml', '/etc/steward/grants.yaml'],
    sections,
  };
}
