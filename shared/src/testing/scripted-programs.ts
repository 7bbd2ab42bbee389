/** For unit tests alone: a program runner that answers what a test says and remembers what it was asked. */
import { StewardError } from '../errors.ts';
import type { ProgramRequest, ProgramResult, ProgramRunner } from '../host/programs.ts';

/** What a program leaves; absent: status 0 and nothing printed. */
export interface Left {
  readonly status?: number | null;
  readonly stdout?: string;
  readonly stderr?: string;
  readonly truncated?: boolean;
}

export interface ScriptedPrograms extends ProgramRunner {
  readonly asked: readonly ProgramRequest[];
  /** Program and arguments of every run, joined by blanks. */
  lines(): string[];
}

/** `answer` gets each request; undefined means that the program is not installed. */
export function scriptedPrograms(answer: (request: ProgramRequest) => Left | undefined): ScriptedPrograms {
  const asked: ProgramRequest[] = [];
  return {
    asked,
    lines: () => asked.map(({ program, args }) => [program, ...args].join(' ')),
    async run(request): Promise<ProgramResult> {
      asked.push(request);
      const left = await Promise.resolve(answer(request));
      if (left === undefined) throw new StewardError('program_missing', { program: request.program });
      const { status = 0, stdout = '', stderr = '', truncated = false } = left;
      request.onOutput?.(Buffer.from(stdout));
      return { status, stdout: Buffer.from(stdout), stderr: Buffer.from(stderr), truncated };
    },
  };
}
