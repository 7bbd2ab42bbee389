/** A worker thread of the frontend: runs one unprivileged operation at a time, with this account's rights. */
import { OPERATIONS } from '@steward/shared/ops/index.ts';
import { serveWorker } from '@steward/shared/workers/serve.ts';

serveWorker(OPERATIONS);
