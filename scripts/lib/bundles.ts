/**
 * The programs that are built and what each may hold. The bundler refuses a bundle that breaks its rule.
 */

export interface BundleRule {
  /** Where the program begins, relative to the repository. */
  readonly entry: string;
  /** The only npm packages it may hold; absent: any. */
  readonly packages?: readonly string[];
  /** Folders of the repository of which it may hold nothing. */
  readonly without: readonly string[];
  /** `cjs` for a file that a program loads by itself after having judged it; default an ES module. */
  readonly format?: 'es' | 'cjs';
  /**
   * Modules that are loaded on first use and go into a file of their own: by their path the name of that file, without `.js`. What is
   * not named here is part of the program's own file.
   */
  readonly parts?: Readonly<Record<string, string>>;
  /** Its SHA-256 is written where the program finds it that loads it. */
  readonly slice?: true;
}

const ROOT_SIDE = { packages: ['tweetnacl', 'yaml'], without: ['frontend', 'cli', 'certs', 'scripts'] };
const NETWORK_SIDE = { without: ['broker', 'cli', 'certs', 'scripts'] };

/** By name of the file in dist/, without `.js`. */
export const BUNDLES: Readonly<Record<string, BundleRule>> = {
  'broker-docker': {
    entry: 'shared/src/engine/transport.ts',
    packages: [
      ...['dockerode', 'docker-modem', 'debug', 'ms', 'readable-stream', 'inherits', 'string_decoder', 'safe-buffer'],
      ...['split-ca', 'util-deprecate'],
    ],
    without: ['frontend', 'cli', 'certs', 'scripts', 'broker'],
    format: 'cjs',
    slice: true,
  },
  broker: { entry: 'broker/src/main.ts', ...ROOT_SIDE },
  'broker-worker': { entry: 'broker/src/worker.ts', ...ROOT_SIDE },
  launcher: { entry: 'broker/launcher/main.ts', ...ROOT_SIDE, packages: [] },
  'audit-rotate': { entry: 'broker/rotate/main.ts', ...ROOT_SIDE, packages: ['yaml'] },
  frontend: { entry: 'frontend/src/main.ts', ...NETWORK_SIDE },
  'frontend-worker': { entry: 'frontend/src/worker.ts', ...NETWORK_SIDE },
  stewardctl: {
    entry: 'cli/src/main.ts',
    without: ['frontend', 'certs', 'scripts'],
    // What most lines do not need would cost each of them its time.
    parts: {
      'cli/src/start.ts': 'stewardctl-client',
      'cli/src/client/relay.ts': 'stewardctl-relay',
      'cli/src/host/index.ts': 'stewardctl-host',
      'cli/src/host/explain.ts': 'stewardctl-explain',
      'node_modules/yaml/dist/index.js': 'stewardctl-yaml',
    },
  },
  certs: { entry: 'certs/src/main.ts', without: ['frontend', 'broker', 'cli', 'scripts'] },
  run: { entry: 'scripts/run.ts', packages: ['yaml'], without: ['frontend', 'cli', 'certs'] },
};

/** The files of dist/, without `.js`, that are made for a program. */
export function filesOf(name: string): readonly string[] {
  return [name, ...Object.values(BUNDLES[name]?.parts ?? {})];
}
