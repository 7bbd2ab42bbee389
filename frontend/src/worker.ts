/** A worker thread of the frontend: runs one unprivileged operation at a time, with this account's rights. */
import { WORKER_OPERATIONS } from '@steward/shared/ops/in-workers.ts';
import { serveWorker } from '@steward/shared/workers/serve.ts';

serveWorker(WORKER_OPERATIONS);
