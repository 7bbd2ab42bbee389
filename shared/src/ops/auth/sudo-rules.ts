/**
 * The caller's own grants, as the broker has them in force. Answered by the broker, which alone holds grants; it is asked about
 * nobody but the caller.
 */
import { toolFacts, isToolName, type RestrictionKey } from '../../catalogue/facts.ts';
import { StewardError } from '../../errors.ts';
import type { Grant, NetworkPolicy, UserGrants } from '../../config/types.ts';
import { NOTHING, type Static } from '../../schema.ts';
import { operation } from '../operation.ts';
const strings = { type: 'array', items: { type: 'string' } } as const;

const network = {
  type: 'object',
  properties: { DenyPrivate: { type: 'boolean' }, Allow: { anyOf: [strings, { type: 'null' }] }, Deny: strings },
  required: ['DenyPrivate', 'Allow', 'Deny'],
  additionalProperties: false,
} as const;
const sysctl = {
  type: 'object',
  properties: { WriteKeys: strings },
  required: ['WriteKeys'],
  additionalProperties: false,
} as const;
const account = {
  type: 'object',
  properties: { View: { type: 'boolean' }, Edit: { type: 'boolean' } },
  required: ['View', 'Edit'],
  additionalProperties: false,
} as const;

const rule = {
  type: 'object',
  properties: {
    Allowed: { type: 'boolean' },
    Paths: strings,
    Containers: strings,
    Prune: strings,
    Units: strings,
    Actions: strings,
    Signals: strings,
    Owners: strings,
    Devices: strings,
    Setid: { type: 'boolean' },
    Commands: { type: 'array', items: strings },
    Users: { type: 'object', properties: {}, required: [], additionalProperties: account },
    Network: { anyOf: [network, { type: 'null' }] },
    Sysctl: { anyOf: [sysctl, { type: 'null' }] },
  },
  // prettier-ignore
  required: ['Allowed', 'Paths', 'Containers', 'Prune', 'Units', 'Actions', 'Signals', 'Owners', 'Devices', 'Setid', 'Commands',
    'Users', 'Network', 'Sysctl'],
  additionalProperties: false,
} as const;
/** One grant with every key present. */
export type GrantRules = Static<typeof rule>;

const result = {
  type: 'object',
  properties: {
    Tools: { type: 'object', properties: {}, required: [], additionalProperties: rule },
    Resources: { type: 'object', properties: {}, required: [], additionalProperties: strings },
  },
  required: [],
  additionalProperties: false,
} as const;
/** Empty when nothing is granted. */
export type SudoRules = Static<typeof result>;

export const authSudoRules = operation<Record<never, never>, SudoRules>({
  name: 'auth/sudo-rules',
  args: NOTHING,
  kind: 'value',
  result,
  where: 'loop',
  run(_args, context) {
    if (context.broker === undefined) return Promise.reject(new StewardError('broker_unavailable'));
    return Promise.resolve(rulesOf(context.broker.grants()));
  },
});

function rulesOf(grants: UserGrants): SudoRules {
  const tools = Object.entries(grants.tools).map(([name, grant]) => [name, ruleOf(name, grant)] as const);
  const resources = Object.entries(grants.resources).map(([scheme, entries]): [string, string[]] => [scheme, [...entries]]);
  if (tools.length === 0 && resources.length === 0) return {};
  return { Tools: Object.fromEntries(tools), Resources: Object.fromEntries(resources) };
}

function ruleOf(tool: string, grant: Grant): GrantRules {
  // A list that only narrows permits everything when it is left out, and the answer must not look as if it permitted nothing.
  const takes = (key: RestrictionKey): boolean => isToolName(tool) && toolFacts(tool).restrictions.includes(key);
  const narrowing = (key: 'units' | 'actions' | 'signals' | 'owners' | 'devices'): string[] => [
    ...(grant[key] ?? (takes(key) ? ['*'] : [])),
  ];
  return {
    Allowed: grant.allowed,
    Paths: [...(grant.paths ?? [])],
    Containers: [...(grant.containers ?? [])],
    Prune: [...(grant.prune ?? [])],
    Units: narrowing('units'),
    Actions: narrowing('actions'),
    Signals: narrowing('signals'),
    Owners: narrowing('owners'),
    Devices: narrowing('devices'),
    Setid: grant.setid === true,
    Commands: (grant.commands ?? (takes('commands') ? [[]] : [])).map((prefix) => [...prefix]),
    Users: usersOf(grant.users ?? {}),
    Network: grant.network === undefined ? null : networkOf(grant.network),
    Sysctl: grant.sysctl === undefined ? null : { WriteKeys: [...grant.sysctl.write_keys] },
  };
}

function usersOf(users: NonNullable<Grant['users']>): GrantRules['Users'] {
  return Object.fromEntries(Object.entries(users).map(([name, user]) => [name, { View: user.view, Edit: user.edit }]));
}

function networkOf(policy: NetworkPolicy): GrantRules['Network'] {
  return {
    DenyPrivate: policy.deny_private,
    Allow: policy.allow === undefined ? null : [...policy.allow],
    Deny: [...policy.deny],
  };
}
