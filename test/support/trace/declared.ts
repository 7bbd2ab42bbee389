/** Whether an event of a traced broker is one that a row declares. Test only. */
import { basename } from 'node:path';
import type { EVERY_CALL } from '@steward/shared/catalogue/every-call.ts';
import type { Row } from '@steward/shared/catalogue/row.ts';
import { fitsTemplate } from '@steward/shared/host/argument-template.ts';
import type { TraceEvent } from './events.ts';

/** Where things lie in this run. */
export interface Places {
  /** What the words of rows that are no paths stand for, for instance the granted directory. */
  readonly classes: Readonly<Record<string, readonly string[]>>;
  /** What `broker.engine_socket` is. */
  readonly sockets: Readonly<Record<string, string>>;
  /** What every call reaches. */
  readonly every: typeof EVERY_CALL;
}

/**
 * A path pattern of a row as regular expressions: `<pid>` and the like are one component, `{a,b}` is one of several, a directory is
 * all that is in it. Where a component is one of many, the list of them is declared too.
 */
export function patternsOf(path: string): RegExp[] {
  const list = /^(.*)\/[^/]*<\w+>/.exec(path)?.[1];
  return [
    ...(list === undefined ? [] : patternsOf(list).map(({ source }) => new RegExp(source.replace('(?:\\/.*)?$', '$')))),
    patternOf(path),
  ];
}

function patternOf(path: string): RegExp {
  const source = path
    .split(/(<\w+>|\{[^}]*\})/)
    .map((part) => {
      if (/^<\w+>$/.test(part)) return '[^/]+';
      if (part.startsWith('{')) return `(?:${part.slice(1, -1).split(',').map(RegExp.escape).join('|')})`;
      return RegExp.escape(part);
    })
    .join('');
  return new RegExp(`^${source}(?:/.*)?$`, 's');
}

export class Judge {
  readonly #places: Places;

  constructor(places: Places) {
    this.#places = places;
  }

  /** What of the events the row does not declare, one line each. */
  undeclared(row: Row, events: readonly TraceEvent[]): string[] {
    const children = new Set(events.filter(({ kind }) => kind === 'exec').map(({ pid }) => pid));
    const wrong = events.filter((event) => !this.#declared(row, event, children));
    return wrong.map(({ kind, object, line, pid }) => `${kind} ${object} (${pid}): ${line.slice(0, 300)}`);
  }

  #declared(row: Row, event: TraceEvent, children: ReadonlySet<number>): boolean {
    const { kind, object, argv, pid } = event;
    const { touches, effect } = row;
    const { every, classes, sockets } = this.#places;
    const placed = (paths: readonly string[]): string[] => paths.flatMap((path) => classes[path] ?? [path]);
    const own = placed(touches.paths);
    const isProgram = children.has(pid);
    switch (kind) {
      case 'exec':
        return touches.programs.some(
          (program) => program.name === basename(object) && program.name === argv[0] && fitsTemplate(program.argv, argv.slice(1)),
        );
      case 'read':
        if (touches.programs.some(({ name }) => /^\/usr\/s?bin\//.test(object) && name === basename(object))) return true;
        return covers([...own, ...placed([...every.reads, ...every.writes, ...(isProgram ? every.programReads : [])])], event);
      case 'write':
      case 'change':
        return covers([...(effect === 'write' ? own : []), ...placed(every.writes)], event);
      case 'connect':
        return covers(
          [...touches.sockets, ...every.sockets, ...(isProgram ? every.programSockets : [])].map((one) => sockets[one] ?? one),
          event,
        );
      case 'socket':
        return object === 'AF_UNIX';
      case 'signal':
        return children.has(Math.abs(Number(object))) || touches.capabilities.includes('KILL');
    }
  }
}

function covers(patterns: readonly string[], { object, given }: TraceEvent): boolean {
  // In file systems of the kernel's own nobody else makes links.
  const paths = given !== undefined && /^\/(proc|sys)\//.test(given) ? [object, given] : [object];
  return patterns.some((pattern) => patternsOf(pattern).some((one) => paths.some((path) => one.test(path))));
}
