/**
 * The way to the container engine. The code that speaks to it is a file of its own, loaded when the first docker operation comes, and
 * only if it is the very file that this broker was built with: what runs are the bytes that were hashed.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { compileFunction } from 'node:vm';
import { openEngine } from '@steward/shared/engine/client.ts';
import type { OpenEngine, Transport, TransportModule } from '@steward/shared/engine/engine.ts';
import { StewardError } from '@steward/shared/errors.ts';
import { DOCKER_SLICE_SHA256 } from '@steward/shared/generated/slices.ts';

export interface EngineParts {
  /** Where the engine listens. */
  readonly socket: string;
  /** Told once when the file is not the one that belongs here. */
  readonly report: (detail: string) => void;
  /** For tests; default: beside this file. */
  readonly slice?: { readonly file: string; readonly sha256: string };
}

/** Opens the engine, call by call; the code is loaded once. */
export function engineOpener({ socket, report, slice = bundledSlice() }: EngineParts): OpenEngine {
  let transport: Transport | undefined;
  let reported = false;
  const load = (): Transport => {
    try {
      return (slice === undefined ? fromSources() : fromFile(slice)).openTransport(socket);
    } catch (error) {
      if (!reported) report((error as Error).message);
      reported = true;
      throw error;
    }
  };
  return async (signal) => {
    if (!existsSync(socket)) throw new StewardError('docker_socket_missing', { path: socket });
    return openEngine((transport ??= load()), socket, signal);
  };
}

/** What the build put beside this file; undefined in a checkout's sources. */
function bundledSlice(): EngineParts['slice'] {
  if (import.meta.url.endsWith('.ts')) return undefined;
  return { file: fileURLToPath(new URL('./broker-docker.js', import.meta.url)), sha256: DOCKER_SLICE_SHA256 };
}

function fromFile({ file, sha256 }: NonNullable<EngineParts['slice']>): TransportModule {
  const bytes = readFileSync(file);
  const found = createHash('sha256').update(bytes).digest('hex');
  if (found !== sha256) throw new Error(`refusing to load ${file}: its SHA-256 is ${found} and should be ${sha256}`);
  const exported: Partial<TransportModule> = {};
  const compiled: unknown = compileFunction(bytes.toString('utf8'), ['exports', 'require'], { filename: file });
  const run = compiled as (exports: object, require: (name: string) => unknown) => void;
  run(exported, (name: string) => process.getBuiltinModule(name));
  return exported as TransportModule;
}

/** A literal import would become part of this program's bundle, with everything that belongs to the other file. */
function fromSources(): TransportModule {
  return createRequire(import.meta.url)('../../shared/src/engine/transport.ts') as TransportModule;
}
