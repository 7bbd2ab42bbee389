/** Catalogue entry: words of disks/health. The document is passed on as smartctl printed it. */
import { disksHealth } from '@steward/shared/ops/disks/health.ts';
import { decoded } from '../../render/stream.ts';
import { tool } from '../tool.ts';

export const disksHealthTool = tool({
  name: 'disks/health',
  title: 'SMART disk health',
  description:
    'SMART data of one disk as smartctl JSON, verbatim. Needs smartmontools and usually privileged: true. Virtual disks report no SMART. Names: disks/list.',
  op: disksHealth,
  outputSchema: { type: 'object' },
  formats: false,
  human: false,
  text: (outcome) => ({ text: decoded(outcome.bytes()), isJson: true }),
});
