/** What the operations on containers share: the argument that names one, and what the engine says about it. */
import { requireEngine } from '../../engine/access.ts';
import { shortId } from '../../engine/containers.ts';
import type { Engine } from '../../engine/engine.ts';
import { flag, members, text, type Members } from '../../engine/json.ts';
import type { OpContext } from '../operation.ts';

/** As typed: name, full id or prefix. The broker's restriction resolves it; an operation gets 64 hexadecimal digits. */
export const CONTAINER = { type: 'string', minLength: 1, maxLength: 4096, description: 'name, id or id prefix' } as const;

export interface Inspected {
  readonly engine: Engine;
  /** 64 hexadecimal digits. */
  readonly id: string;
  /** What it is called now. */
  readonly name: string;
  /** 12 digits. */
  readonly short: string;
  /** `running`, `exited`, .. */
  readonly state: string;
  /** Whether its output is a terminal's. */
  readonly terminal: boolean;
  readonly document: Members;
}

/** The container's own document. `id` is resolved. */
export async function inspectContainer(id: string, context: Pick<OpContext, 'broker' | 'signal'>): Promise<Inspected> {
  const engine = await requireEngine(context);
  const { signal } = context;
  const document = members(await engine.read({ route: 'GET /containers/{container}/json', object: id, signal }));
  return {
    engine,
    id,
    name: text(document['Name']).replace(/^\//, ''),
    short: shortId(id),
    state: text(members(document['State'])['Status']),
    terminal: flag(members(document['Config'])['Tty']),
    document,
  };
}
