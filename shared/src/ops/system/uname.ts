/** Behind `os://uname`: the five words of uname(2). Public. */
import { readUname, type Uname } from '../../host/system.ts';
import { NOTHING } from '../../schema.ts';
import { operation } from '../operation.ts';

const word = { type: 'string' } as const;

export const systemUname = operation<Record<never, never>, Uname>({
  name: 'resource/uname',
  args: NOTHING,
  kind: 'value',
  result: {
    type: 'object',
    properties: { sysname: word, nodename: word, release: word, version: word, machine: word },
    required: ['sysname', 'nodename', 'release', 'version', 'machine'],
    additionalProperties: false,
  },
  where: 'loop',
  run: (_args, context) => readUname(context.root),
});
