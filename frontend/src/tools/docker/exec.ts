/** Catalogue entry: words and text of docker/exec. */
import { StewardError } from '@steward/shared/errors.ts';
import { dockerExec, type ExecResult } from '@steward/shared/ops/docker/exec.ts';
import type { OutputRecord } from '@steward/shared/ops/docker/exec-output.ts';
import { escapeName } from '../../render/names.ts';
import { inPieces } from '../../render/stream.ts';
import { tool } from '../tool.ts';
import { jsonWithTexts } from './json.ts';
import { needContainer } from './required.ts';

type Records = () => AsyncIterable<OutputRecord>;

export const dockerExecTool = tool({
  name: 'docker/exec',
  title: 'Run command in container',
  description:
    'Run one command (argv array; no shell, TTY or stdin) in a running container and report its exit code. Timeout 30 s, at most 300; output at most 1 MiB. Text or JSON.',
  op: dockerExec,
  formats: true,
  human: false,
  prepare(values) {
    const prepared = needContainer(values);
    const { command } = values;
    if (!Array.isArray(command) || command.length === 0) throw new StewardError('exec_command');
    return prepared;
  },
  text: (outcome, { args }) => {
    const { result } = outcome;
    const line = args.command.map(escapeName).join(' ');
    if (result.dry_run === true) return { text: `Dry run: would run ${line} in container ${which(result)}, now ${result.state}` };
    return { text: inPieces(report(result, line, () => outcome.records())) };
  },
  json: (outcome, { args }) => {
    const { container, id, exit_code, running, truncated, dry_run } = outcome.result;
    const records: Records = () => outcome.records();
    const texts = { stdout: () => only('stdout', records), stderr: () => only('stderr', records) };
    const after = { ...(truncated === true ? { truncated } : {}), ...(dry_run === true ? { dry_run } : {}) };
    return { text: jsonWithTexts({ container, id, command: args.command, exit_code, running }, texts, after) };
  },
});

function which({ container, id }: ExecResult): string {
  return `${escapeName(container)} (${id})`;
}

async function* report(result: ExecResult, line: string, records: Records): AsyncGenerator<string> {
  const code = result.exit_code === null ? 'unknown, the command is still running' : String(result.exit_code);
  yield `Container ${which(result)}: ${line}\nExit code: ${code}`;
  let empty = true;
  for (const stream of ['stdout', 'stderr'] as const) {
    // The newline that ends the output is left out until it is known that more follows.
    let held = `\n--- ${stream} ---\n`;
    for await (const text of only(stream, records)) {
      empty = false;
      const cut = text.endsWith('\n') ? text.slice(0, -1) : text;
      yield held + cut;
      held = text.endsWith('\n') ? '\n' : '';
    }
  }
  if (empty) yield '\n(no output)';
  if (result.truncated === true) yield '\n[WARNING: Output truncated at 1 MiB]';
}

async function* only(stream: OutputRecord['stream'], records: Records): AsyncGenerator<string> {
  for await (const record of records()) if (record.stream === stream) yield record.text;
}
