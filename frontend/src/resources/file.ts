/**
 * The template `file:///{path}`: content, attributes or type of any file. A file is read unprivileged first; only when the kernel
 * refuses and the caller's own grants cover it is the broker asked, which judges the object again and alone permits.
 */
import { coveringPath } from '@steward/shared/config/match.ts';
import { cleanPath } from '@steward/shared/host/clean.ts';
import { fileContent, fileStat, fileType } from '@steward/shared/ops/files/resource.ts';
import type { Operation } from '@steward/shared/ops/operation.ts';
import { jsonText } from '../render/json.ts';
import { decoded } from '../render/stream.ts';
import type { Outcome } from '../tools/tool.ts';
import { readOrAskRoot } from './ask-root.ts';
import type { ResourceContent, ResourceContext, ResourceTemplate } from './resource.ts';

const PLAIN = 'text/plain';
const JSON_TYPE = 'application/json';

type View = 'content' | 'stat' | 'type';

export const file: ResourceTemplate = {
  uriTemplate: 'file:///{path}',
  name: 'File Reader',
  description:
    'Content of a file (text, up to 16 MiB). Add /stat for its attributes as JSON, /type for its MIME type, /content for a file that is itself called stat, type or content.',
  mimeType: PLAIN,
  group: 'files',
  verb: 'cat',
  read(context) {
    const { path, view } = viewOf(`/${context.params['path'] ?? ''}`);
    return VIEWS[view](context, path);
  },
};

/** A last component that is the name of a view is no part of the path. */
function viewOf(path: string): { path: string; view: View } {
  const [, before, view] = /^(.*)\/(content|stat|type)$/s.exec(path) ?? [];
  return before === undefined ? { path, view: 'content' } : { path: before === '' ? '/' : before, view: view as View };
}

const VIEWS: Readonly<Record<View, (context: ResourceContext, path: string) => Promise<ResourceContent>>> = {
  async content(context, path) {
    const outcome = await readAs(context, fileContent, path);
    return { mimeType: path.endsWith('.json') ? JSON_TYPE : PLAIN, text: decoded(outcome.bytes()) };
  },
  async stat(context, path) {
    return { mimeType: JSON_TYPE, text: jsonText((await readAs(context, fileStat, path)).result) };
  },
  async type(context, path) {
    return { mimeType: PLAIN, text: (await readAs(context, fileType, path)).result.mime };
  },
};

function readAs<Result>(
  context: ResourceContext,
  op: Operation<{ path: string }, Result>,
  path: string,
): Promise<Outcome<Result, never>> {
  return readOrAskRoot(context, op, { path }, () => isCovered(context, path));
}

/** Whether asking the broker is worth while. */
function isCovered({ grants }: ResourceContext, path: string): boolean {
  const entries = grants.resources['file://'] ?? [];
  return entries.some((entry) => entry === '*' || entry === '') || coveringPath(entries, cleanPath(path)) !== undefined;
}
