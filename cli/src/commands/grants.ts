/** The caller's own root grants, as the server tells them. */
import type { Client } from '../client/client.ts';
import { isObject, type JsonObject } from '../grammar/argument.ts';
import { documentIn } from '../render/data.ts';

/** Grants by tool name. Empty when there are none, undefined when the server does not say. */
export async function ownGrants(client: Client): Promise<ReadonlyMap<string, JsonObject> | undefined> {
  const tool = (await client.tools()).find((entry) => /^auth[/_]sudo-rules$/.test(entry.name));
  if (tool === undefined) return undefined;
  const answer = await client.callTool(tool.name, { output_format: 'json' });
  const value = answer.isError ? undefined : documentIn(answer.text)?.value;
  if (!isObject(value)) return undefined;
  const tools = isObject(value['Tools']) ? value['Tools'] : {};
  return new Map(
    Object.entries(tools).flatMap(([name, grant]): [string, JsonObject][] =>
      isObject(grant) && grant['Allowed'] === true ? [[name, grant]] : [],
    ),
  );
}

/** What a grant is limited to: every list that does not mean "any", for instance `Paths /var/log, /etc/nginx`. */
export function limitsOf(grant: JsonObject): string {
  const lists = Object.entries(grant).flatMap(([key, value]): [string, unknown[]][] => {
    const list: unknown = isObject(value) ? Object.values(value).find(Array.isArray) : value;
    return Array.isArray(list) && list.length > 0 && list[0] !== '*' ? [[key, list as unknown[]]] : [];
  });
  return lists
    .map(([key, list]) => `${key} ${list.map((item) => (typeof item === 'string' ? item : JSON.stringify(item))).join(', ')}`)
    .join('; ');
}
