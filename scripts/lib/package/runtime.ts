/**
 * The runtime as it is shipped: the pinned Node without its symbol tables. Its digests before and after are recorded, so that
 * anybody can compare the first with the official release and repeat the second. Build time only.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../sources.ts';
import { runtimePackage } from './inside.ts';

const sha256 = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

/** Writes the runtime to `to`; returns the text of the file of digests. Needs strip(1) of binutils. */
export function shipRuntime(to: string): string {
  const file = join(ROOT, 'node_modules', runtimePackage(), 'bin/node');
  execFileSync('strip', ['--strip-unneeded', '-o', to, file]);
  const { version } = JSON.parse(readFileSync(join(ROOT, 'node_modules', runtimePackage(), 'package.json'), 'utf8')) as {
    version: string;
  };
  return [
    `# Node ${version} for linux-${process.arch}. The first digest is that of the program as npm's package ${runtimePackage()} brings it.`,
    `# To compare it with the official release: tar -xJOf node-v${version}-linux-${process.arch}.tar.xz --wildcards '*/bin/node' | sha256sum`,
    '# The second is what is shipped: strip --strip-unneeded of the first.',
    `${sha256(file)}  node-v${version}-linux-${process.arch}/bin/node  ${statSync(file).size} bytes`,
    `${sha256(to)}  /usr/lib/steward/node  ${statSync(to).size} bytes`,
    '',
  ].join('\n');
}
