/**
 * What a server offers, as the command line sees it: tools, resources and templates, each under a verb and a group. The lists
 * are the server's word; entries that lack what a command needs are left out instead of failing the others.
 */
import { argumentsOf, isObject, type Argument, type JsonObject } from './argument.ts';

interface Common {
  readonly verb: string;
  readonly group: string;
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly Argument[];
  /** The entry as the server sent it. */
  readonly raw: JsonObject;
}
export interface ToolEntry extends Common {
  readonly kind: 'tool';
  readonly title: string;
  readonly readOnly: boolean;
  readonly destructive: boolean;
}
export interface ResourceEntry extends Common {
  readonly kind: 'resource';
  readonly uri: string;
  readonly mimeType: string;
}
export interface TemplateEntry extends Common {
  readonly kind: 'template';
  readonly uriTemplate: string;
  readonly mimeType: string;
}
export type Entry = ToolEntry | ResourceEntry | TemplateEntry;

/** What a call goes to: the tool's name, or the URI. */
export function targetOf(entry: Entry): string {
  if (entry.kind === 'tool') return entry.name;
  return entry.kind === 'resource' ? entry.uri : entry.uriTemplate;
}

/** A few words for people. */
export function titleOf(entry: Entry): string {
  return entry.kind === 'tool' ? entry.title : entry.name;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Verb and group: own members of the entry, their copies in `_meta`, else the two halves of a tool's name. */
function place(raw: JsonObject): { group: string; verb: string } {
  const meta = isObject(raw['_meta']) ? raw['_meta'] : {};
  const [head = '', tail = ''] = text(raw['name']).split('/', 2);
  return {
    group: text(raw['tools_group']) || text(meta['steward/tools_group']) || head,
    verb: text(raw['cli_verb']) || text(meta['steward/cli_verb']) || tail,
  };
}

function common(raw: JsonObject, own: readonly Argument[]): Common {
  return { ...place(raw), name: text(raw['name']), description: text(raw['description']), arguments: own, raw };
}

export function toolEntry(raw: unknown): ToolEntry | undefined {
  if (!isObject(raw) || text(raw['name']) === '') return undefined;
  const hints = isObject(raw['annotations']) ? raw['annotations'] : {};
  return {
    kind: 'tool',
    ...common(raw, argumentsOf(raw['inputSchema'])),
    title: text(hints['title']),
    readOnly: hints['readOnlyHint'] === true,
    destructive: hints['destructiveHint'] === true,
  };
}

export function resourceEntry(raw: unknown): ResourceEntry | undefined {
  if (!isObject(raw) || text(raw['uri']) === '') return undefined;
  return { kind: 'resource', ...common(raw, []), uri: text(raw['uri']), mimeType: text(raw['mimeType']) };
}

/** Every placeholder of a template is a required text argument. */
export function templateEntry(raw: unknown): TemplateEntry | undefined {
  if (!isObject(raw) || text(raw['uriTemplate']) === '') return undefined;
  const uriTemplate = text(raw['uriTemplate']);
  const names = [...uriTemplate.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
  const schema = { properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])), required: names };
  return { kind: 'template', ...common(raw, argumentsOf(schema)), uriTemplate, mimeType: text(raw['mimeType']) };
}

/**
 * Puts values into a template. `/` stays as it is, since paths and image names hold it, and one at the beginning of a value is
 * dropped where the template has it already (`file:///{path}` with `/etc/hosts`).
 */
export function fillTemplate(template: string, values: Readonly<Record<string, unknown>>): string {
  return template.replace(/(\/?)\{(\w+)\}/g, (_place, slash: string, name: string) => {
    const value = typeof values[name] === 'string' ? values[name] : '';
    const bare = slash === '/' && value.startsWith('/') ? value.slice(1) : value;
    return slash + bare.split('/').map(encodeURIComponent).join('/');
  });
}
