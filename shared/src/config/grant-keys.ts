/**
 * One reader per restriction key of a grant, and which of them a tool cannot do without.
 */
import { constants } from 'node:os';
import { toolFacts, type RestrictionKey, type ToolName } from '../catalogue/facts.ts';
import type { AccountUids } from './accounts.ts';
import { networkPolicy } from './daemon.ts';
import { bool, dictionary, fields, list, map, mapping, oneOf, string, text, type Reader } from './reader.ts';
import { ACCOUNT, deviceGlob, dottedName, glob, pathPrefix } from './scalars.ts';
import type { Grant } from './types.ts';

/** What services/manage can do to a unit. */
const UNIT_ACTIONS = ['start', 'stop', 'restart', 'reload', 'enable', 'disable'] as const;
const PRUNE_KINDS = ['containers', 'images', 'volumes', 'networks', 'build-cache'] as const;

/** A signal name of signal(7), with or without SIG; kept without. */
const signal: Reader<string> = map(text, (value, item) => {
  const name = value.toUpperCase().replace(/^SIG/, '');
  return Object.hasOwn(constants.signals, `SIG${name}`) ? name : item.mustBe(`a signal name like TERM, got "${value}"`);
});

const owner = string((value) => value === '*' || /^\d{1,10}$/.test(value) || ACCOUNT.test(value), 'an account name, a uid or *');

/** Crontabs of accounts; `edit` implies `view`. Whoever edits a crontab of uid 0 is root, so that cannot be granted. */
function cronUsers(accounts: AccountUids): Reader<NonNullable<Grant['users']>> {
  const account = mapping(
    (item) => (ACCOUNT.test(item.name) ? undefined : item.fail(`"${item.name}" is not an account name`)),
    (item) => {
      const read = fields(item, { view: bool, edit: bool });
      if (read.edit === true && accounts.get(item.name) === 0)
        item.fail(`edit must not be granted for ${item.name}: it has uid 0`);
      return { view: read.view === true || read.edit === true, edit: read.edit === true };
    },
  );
  return map(account, (read) => dictionary(read));
}

/** The readers of the keys that `tool` takes, `allowed` first. */
export function grantFields(tool: ToolName, accounts: AccountUids): Readonly<Record<string, Reader<unknown>>> {
  const all: Readonly<Record<RestrictionKey, Reader<unknown>>> = {
    paths: list(pathPrefix),
    setid: bool,
    units: list(glob),
    actions: list(oneOf(...UNIT_ACTIONS)),
    signals: list(signal),
    owners: list(owner),
    devices: list(deviceGlob),
    sysctl: (item) => fields(item, { write_keys: list(dottedName) }, ['write_keys']),
    users: cronUsers(accounts),
    containers: list(glob),
    commands: list(list(text)),
    prune: list(oneOf(...PRUNE_KINDS)),
    network: networkPolicy,
  };
  return { allowed: bool, ...Object.fromEntries(toolFacts(tool).restrictions.map((key) => [key, all[key]])) };
}

/** The lists without which an allowed grant permits nothing, and what it then does not permit. */
export const REQUIRED_LISTS: Readonly<Partial<Record<RestrictionKey, string>>> = {
  paths: 'nothing',
  containers: 'nothing',
  prune: 'nothing',
  sysctl: 'no writes',
  users: 'no other account',
};
