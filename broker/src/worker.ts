/**
 * Entry of the broker's worker threads: root's long walks, on descriptors that the main thread opened and judged, and in a thread
 * of its own the seals of the audit log.
 */
import { sealOperation } from '@steward/shared/audit/seal-operation.ts';
import { serveWorker } from '@steward/shared/workers/serve.ts';
import { TABLE } from './table.ts';

serveWorker([...TABLE.map((row) => row.op), sealOperation]);
