/** A container engine on a Unix socket that has one of everything, for calls that must reach one. Test only. */
import { CONTAINER_ID, inspected } from './docker.ts';
import { fakeEngine, frame, type EngineAnswer, type FakeEngine } from './fake-engine.ts';
import { ENGINE_ROUTES } from '../engine/routes.ts';

const HEX = 'd'.repeat(64);

/** `version`: of its API; default the fake engine's own. */
export function smallEngine(version?: string): Promise<FakeEngine> {
  const answers: Readonly<Record<string, EngineAnswer>> = {
    ...Object.fromEntries(ENGINE_ROUTES.map((route) => [route, {}])),
    'GET /containers/json': [{ Id: CONTAINER_ID, Names: ['/web'] }],
    'GET /containers/{container}/json': inspected('running'),
    'GET /containers/{container}/logs': (response) => response.end(frame('stdout', 'x\n')),
    'POST /containers/{container}/exec': { Id: HEX },
    'POST /exec/{exec}/start': (response) => response.end(),
    'GET /exec/{exec}/json': { Running: false, ExitCode: 0 },
    'GET /images/json': [{ Id: `sha256:${HEX}`, RepoTags: ['x:1'] }],
    'GET /networks': [{ Id: HEX, Name: 'net' }],
    'GET /volumes': { Volumes: [{ Name: HEX }, { Name: 'data' }] },
  };
  return fakeEngine(answers, version);
}
