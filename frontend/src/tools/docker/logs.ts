/** Catalogue entry: words and text of docker/logs. */
import { dockerLogs, type LogsResult } from '@steward/shared/ops/docker/logs.ts';
import { escapeName } from '../../render/names.ts';
import { decoded } from '../../render/stream.ts';
import { tool } from '../tool.ts';
import { jsonWithTexts } from './json.ts';
import { needContainer } from './required.ts';

const TIME = { anyOf: [{ type: 'string' }, { type: 'number' }] } as const;

export const dockerLogsTool = tool({
  name: 'docker/logs',
  title: 'Container logs',
  description: "Last lines of a container's stdout and stderr (default 100), never follows; at most 1 MiB. Text or JSON.",
  op: dockerLogs,
  formats: true,
  human: false,
  extra: { since: { ...TIME, description: 'unix time or RFC 3339' }, until: TIME },
  prepare(values) {
    const { since, until, ...rest } = needContainer(values);
    return { ...rest, ...timeArgument('since', since), ...timeArgument('until', until) };
  },
  text: (outcome) => ({ text: outcome.result.lines === 0 ? nothing(outcome.result) : decoded(outcome.bytes()) }),
  json: (outcome) => {
    const { container, id, lines, truncated } = outcome.result;
    const after = truncated === true ? { truncated } : {};
    return { text: jsonWithTexts({ container, id, lines }, { logs: () => decoded(outcome.bytes()) }, after) };
  },
});

/** Seconds may be written as a number. */
function timeArgument(name: string, value: unknown): Record<string, unknown> {
  if (value === undefined || value === '') return {};
  return { [name]: typeof value === 'number' ? String(value) : value };
}

function nothing({ container, id }: LogsResult): string {
  return `Container ${escapeName(container)} (${id}) has no log output for this selection.`;
}
