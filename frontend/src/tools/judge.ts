/** Judges what an operation is about to get by the validators that the build made from the operations' own schemas. */
import { args as validators } from '@steward/shared/generated/validators.js';
import type { JudgeArguments } from './runner.ts';

export const judgeArguments: JudgeArguments = (op, args) => {
  const validate = Object.hasOwn(validators, op) ? validators[op] : undefined;
  if (validate === undefined) throw new Error(`no validator for ${op}`);
  if (validate(args)) return undefined;
  const first = validate.errors?.[0];
  return first === undefined ? 'not as declared' : `${first.instancePath.slice(1)} ${first.message ?? first.keyword}`.trim();
};
