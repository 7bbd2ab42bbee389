/**
 * Entry of the broker's worker threads: root's long walks, on descriptors that the main thread opened and judged, and in a thread
 * of its own the seals of the audit log. What is no row of the table does not run here either.
 */
import { sealOperation } from '@steward/shared/audit/seal-operation.ts';
import { BROKER_OPERATIONS } from '@steward/shared/generated/table.ts';
import { WORKER_OPERATIONS } from '@steward/shared/ops/in-workers.ts';
import { serveWorker } from '@steward/shared/workers/serve.ts';

serveWorker([...WORKER_OPERATIONS.filter(({ name }) => BROKER_OPERATIONS.includes(name)), sealOperation]);
