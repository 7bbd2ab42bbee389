/** Entry of the broker's worker threads: root's long walks, on descriptors that the main thread opened and judged. */
import { serveWorker } from '@steward/shared/work/serve.ts';
import { TABLE } from './table.ts';

serveWorker(TABLE.map((row) => row.op));
