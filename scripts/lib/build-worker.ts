/** A worker of the build: builds the bundles it is told, one after the other, and answers with what went into each. */
import { parentPort } from 'node:worker_threads';
import { buildOne } from './build-one.ts';

parentPort?.on('message', (name: string) => {
  void buildOne(name).then((built) => parentPort?.postMessage(built));
});
