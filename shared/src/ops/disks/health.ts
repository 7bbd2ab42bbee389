/**
 * SMART data of one disk, as smartctl(8) prints it. The only operation on disks that starts a program, which opens the device; the
 * name is checked against sysfs first and stands behind `--`.
 */
import { StewardError } from '../../errors.ts';
import { findDiskNode } from '../../host/disk-node.ts';
import type { ProgramResult } from '../../host/programs.ts';
import type { Static } from '../../schema.ts';
import { operation, type OpContext } from '../operation.ts';

const PROGRAM = 'smartctl';
const MAX_OUTPUT = 4 * 1024 * 1024;
/** Of what the program says about its failure, in characters. */
const MAX_REASON = 4096;

const args = {
  type: 'object',
  properties: { device: { type: 'string', maxLength: 255, description: 'kernel name, e.g. sda' } },
  required: ['device'],
  additionalProperties: false,
} as const;

const result = {
  type: 'object',
  properties: { size: { type: 'integer', minimum: 0 } },
  required: ['size'],
  additionalProperties: false,
} as const;

/** Sends the document byte by byte as printed, without its final newline. */
export const disksHealth = operation<Static<typeof args>, Static<typeof result>>({
  name: 'disks/health',
  args,
  kind: 'bytes',
  result,
  where: 'loop',
  async run({ device }, context) {
    const node = findDiskNode(context.root, device);
    const document = documentOf(await runSmartctl(node, context));
    const bytes = Buffer.from(document);
    await context.write(bytes);
    return { size: bytes.length };
  },
});

async function runSmartctl(node: string, { programs, signal }: OpContext): Promise<ProgramResult> {
  try {
    return await programs.run({ program: PROGRAM, args: ['-j', '-a', '--', node], maxOutput: MAX_OUTPUT, signal });
  } catch (error) {
    if (!(error instanceof StewardError) || error.key !== 'program_missing') throw error;
    throw new StewardError('smartctl_missing', {}, { cause: error });
  }
}

/** The exit status is a set of findings (smartctl(8), RETURN VALUES): with a document it is no failure. */
function documentOf({ stdout, stderr, truncated }: ProgramResult): string {
  if (truncated) throw new StewardError('smartctl_failed', { reason: 'it printed more than 4 MiB' });
  const document = stdout.toString('utf8').trimEnd();
  if (isObject(document)) return document;
  const reason = stderr.toString('utf8').trim().slice(0, MAX_REASON);
  throw new StewardError('smartctl_failed', { reason: reason === '' ? 'it printed no JSON' : reason });
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
