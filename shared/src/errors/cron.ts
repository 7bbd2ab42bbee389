/** Error texts of crontabs. Part of the registry in ../errors.ts. */
import type { ErrorEntry } from './entry.ts';

export const CRON = {
  crontab_changed: {
    code: 'CONFLICT',
    text: 'the crontab changed since you read it (its sha256 is now {actual}, you passed {expected}) - read it again',
  },
  crontab_rejected: { code: 'BAD_ARGS', text: 'crontab rejected the file - the old crontab is unchanged: {reason}' },
  crontab_size: { code: 'TOO_LARGE', text: 'content is {size} bytes, the limit is 65536' },
  crontab_nul: { code: 'BAD_ARGS', text: 'content must not contain NUL bytes' },
  crontab_type: { code: 'BAD_ARGS', text: 'content must be a string (an empty string clears the crontab)' },
  account_invalid: { code: 'BAD_ARGS', text: 'invalid account name "{account}"' },
  account_unknown: { code: 'NOT_FOUND', text: 'no account named {account} on this host' },
  account_none: { code: 'NOT_FOUND', text: 'user {user} has no OS account on this host, so there is no own crontab' },
  crontab_needs_root: {
    code: 'RESTRICTED',
    text: "another account's crontab needs privileged: true and a rule for {account} in your cron/manage grant (users: {{account}: {view: true}})",
  },
  crontab_not_granted: {
    code: 'NOT_GRANTED',
    text: 'user {user} is not authorized to run cron/manage on another account: no cron/manage grant with allowed: true in grants.yaml',
  },
  crontab_list_not_granted: {
    code: 'NOT_GRANTED',
    text: 'user {user} is not authorized to list crontabs: no cron/manage grant with allowed: true in grants.yaml',
  },
  crontab_view_restricted: {
    code: 'RESTRICTED',
    text: "user {user} may not view {account}'s crontab: no rule for it in the cron/manage grant (users:)",
  },
  crontab_edit_restricted: {
    code: 'RESTRICTED',
    text: "user {user} may not edit {account}'s crontab: no rule for it in the cron/manage grant (users:)",
  },
  crontab_view_only: {
    code: 'RESTRICTED',
    text: "user {user} may not edit {account}'s crontab: the cron/manage grant gives {account} view only",
  },
  crontab_root: { code: 'PROTECTED', text: "root's crontab may be viewed but never edited through steward" },
  crontab_missing: { code: 'TOOL_MISSING', text: 'crontab not found on this host - install cron' },
  crontab_view: {
    code: 'BAD_ARGS',
    text: 'unsupported view "{view}": use crontab://<user>/text or crontab://<user>/info',
  },
} as const satisfies Record<string, ErrorEntry>;
