/**
 * The broker's table as a document for reviewers, made from its description alone: what `--print-allowlist --json` prints is
 * enough to make it.
 */
import { EVERY_CALL } from './every-call.ts';
import type { AnyOperation } from '../ops/operation.ts';

/** One row without its code. */
export interface RowDescription {
  readonly op: Pick<AnyOperation, 'name' | 'kind' | 'args' | 'result'> & {
    readonly [Member in 'record' | 'path' | 'upload']: AnyOperation[Member];
  };
  readonly grant:
    | { readonly tool: string }
    | { readonly extra: string }
    | { readonly ownOrTool: string }
    | { readonly resource: string }
    | { readonly everyone: true };
  readonly effect: 'read' | 'write' | 'daemon';
  readonly writesWith?: string;
  readonly restriction: { readonly name: string; readonly says: string };
  readonly touches: {
    readonly capabilities: readonly string[];
    readonly programs: readonly { readonly name: string; readonly argv: readonly string[] }[];
    readonly sockets: readonly string[];
    readonly paths: readonly string[];
  };
  readonly limits: { readonly deadlineSeconds: number; readonly maxResultBytes: number; readonly maxUploadBytes: number };
  readonly cancel: 'stops' | 'finishes';
  readonly shown: readonly string[];
  readonly reports?: readonly string[];
}

/** docs/ALLOWLIST.md. */
export function renderDescription(table: readonly RowDescription[], digest: string): string {
  const capabilities = [...new Set(table.flatMap((row) => row.touches.capabilities))].sort();
  const programs = [...new Set(table.flatMap((row) => row.touches.programs.map((program) => program.name)))].sort();
  return `${[
    '# What runs as root',
    'Generated from `broker/src/table.ts` by `make allowlist`; `stewardctl allowlist` prints the same for the program that is installed. The broker executes these operations and nothing else: a request for any other ends the connection.',
    `- Rows: ${table.length}\n- Digest of the table: \`${digest}\`\n- Capabilities of all rows together: ${list(capabilities)}\n- Programs of all rows together: ${list(programs)}`,
    'Every call is decided in this order: session, row, arguments, read-only mode, grant, restriction on the object that was reached. Then the intent is put on record, the operation runs, and the outcome is put on record. Whatever a grant says, the protected objects (configuration, state, audit log, TLS key, memory of processes and of the kernel) are out of reach, and a symbolic link in a path refuses the call.',
    `Besides what its row says, a call reads ${list(EVERY_CALL.reads)}, writes ${list(EVERY_CALL.writes)} and connects to ${list(EVERY_CALL.sockets)}; a program that it starts reads ${list(EVERY_CALL.programReads)} and may ask ${list(EVERY_CALL.programSockets)}. Every row is run under \`strace\` in the tests, and what the kernel saw is compared with this document.`,
    '## Overview',
    overview(table),
    ...table.map(section),
  ].join('\n\n')}\n`;
}

function overview(table: readonly RowDescription[]): string {
  const lines = table.map((row) => `| \`${row.op.name}\` | ${effectOf(row)} | ${whoOf(row.grant)} | ${row.restriction.name} |`);
  return ['| Operation | Effect | Who | Restriction |', '|---|---|---|---|', ...lines].join('\n');
}

function section(row: RowDescription): string {
  const { op, restriction, touches, limits, cancel, shown, reports = [] } = row;
  const programs = touches.programs.map(({ name, argv }) => `\`${[name, ...argv].join(' ')}\``);
  const facts: readonly (readonly [string, string])[] = [
    ['Effect', effectOf(row)],
    ['Who', whoOf(row.grant)],
    ['On which object', `${restriction.name}: ${restriction.says}`],
    ['Arguments', argumentsOf(row)],
    ['Capabilities', list(touches.capabilities)],
    ['Programs', programs.length === 0 ? 'none' : programs.join(', ')],
    ['Sockets', list(touches.sockets)],
    ['Reaches', touches.paths.length === 0 ? 'no file' : touches.paths.join(', ')],
    ['Limits', limitsOf(limits)],
    [
      'When the caller goes away',
      cancel === 'stops' ? 'stops at once' : 'stops before the change; a change that has begun is finished',
    ],
    ['On record', `${list(shown)}${op.upload === undefined ? '' : `; \`${op.upload}\` as size and SHA-256`}`],
    ['Outcome on record', reports.length === 0 ? 'code and duration' : `code, duration, ${list(reports)}`],
  ];
  return `## \`${op.name}\`\n\n${facts.map(([name, text]) => `- **${name}**: ${text}`).join('\n')}`;
}

function effectOf({ effect, writesWith, op }: RowDescription): string {
  if (effect === 'read') return 'reads';
  if (effect === 'daemon') return 'changes the daemon, not the host';
  const dry = Object.hasOwn(op.args.properties, 'dry_run') ? ', unless `dry_run`' : '';
  return writesWith === undefined ? `changes the host${dry}` : `reads; with \`${writesWith}\` changes the host${dry}`;
}

function whoOf(rule: RowDescription['grant']): string {
  if ('everyone' in rule) return 'every user with a session';
  if ('resource' in rule) return `users with \`resources: ${rule.resource}\``;
  if ('ownOrTool' in rule) return `every user with a session, for the own; others with a grant for \`${rule.ownOrTool}\``;
  return `users with a grant for \`${'extra' in rule ? rule.extra : rule.tool}\``;
}

function argumentsOf({ op }: RowDescription): string {
  const names = Object.entries(op.args.properties).map(([name, schema]) => {
    const type = 'anyOf' in schema ? 'one of several' : schema.type;
    return `\`${name}\` ${type}${op.args.required.includes(name) ? ', required' : ''}`;
  });
  if (op.upload !== undefined) names.push(`\`${op.upload}\` upload`);
  return names.length === 0 ? 'none' : names.join('; ');
}

function limitsOf({ deadlineSeconds, maxResultBytes, maxUploadBytes }: RowDescription['limits']): string {
  const result = maxResultBytes === 0 ? 'result streamed without a cap' : `result at most ${maxResultBytes} bytes`;
  const upload = maxUploadBytes === 0 ? 'no upload' : `upload at most ${maxUploadBytes} bytes`;
  return `${deadlineSeconds} s at most; ${result}; ${upload}`;
}

const list = (names: readonly string[]): string => (names.length === 0 ? 'none' : names.map((name) => `\`${name}\``).join(', '));
