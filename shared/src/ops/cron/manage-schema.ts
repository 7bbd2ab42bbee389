/** Arguments and result of cron/manage. */
import type { Static } from '../../schema.ts';

export const manageArgs = {
  type: 'object',
  properties: {
    user: { type: 'string', maxLength: 1024, description: 'account; default your own' },
    if_match: { type: 'string', maxLength: 1024, description: 'sha256 of the crontab you read' },
    privileged: { type: 'boolean' },
    dry_run: { type: 'boolean' },
  },
  required: [],
  additionalProperties: false,
} as const;
export type CronArgs = Static<typeof manageArgs>;

const account = {
  type: 'object',
  properties: {
    user: { type: 'string' },
    lines: { type: 'integer' },
    /** RFC 3339 in UTC. */
    modified: { type: 'string' },
  },
  required: ['user', 'lines', 'modified'],
  additionalProperties: false,
} as const;

export const manageResult = {
  type: 'object',
  properties: {
    action: { type: 'string', enum: ['read', 'write', 'list'] },
    /** Empty for a list. */
    user: { type: 'string' },
    exists: { type: 'boolean' },
    /** The crontab as it is, or after a write as it is now. */
    lines: { type: 'integer' },
    jobs: { type: 'integer' },
    bytes: { type: 'integer' },
    /** Lower-case hex; of nothing where there is no crontab. */
    sha256: { type: 'string' },
    /** Only for a list. */
    accounts: { type: 'array', items: account },
    /** Only for a write. */
    previous_lines: { type: 'integer' },
    previous_sha256: { type: 'string' },
    dry_run: { type: 'boolean' },
  },
  required: ['action', 'user', 'exists', 'lines', 'jobs', 'bytes', 'sha256', 'accounts'],
  additionalProperties: false,
} as const;
/** For a read the content comes as bytes. */
export type CronResult = Static<typeof manageResult>;
