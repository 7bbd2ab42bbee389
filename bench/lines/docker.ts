/** A container's log beside the docker command, on an engine of the benchmark's own; needs Debian's docker.io and busybox-static. */
import { sseDoor } from '../lib/door.ts';
import type { Line } from '../lib/line.ts';
import { program, programPath } from '../lib/program.ts';
import { EVERYTHING } from '../../test/support/engine/fixture.ts';
import { skipEngine, startEngine } from '../../test/support/engine/dockerd.ts';
import { eventually } from '../../test/support/pair.ts';

/** Lines of 64 bytes, a mebibyte in all. */
const LINES = 16_384;
const WRITE = `i=0; while [ $i -lt ${LINES} ]; do printf '%063d\\n' $i; i=$((i+1)); done`;

const logs: Line = {
  name: 'docker-logs',
  prepare: async (bench) => {
    if (skipEngine !== false) return { why: skipEngine };
    if (programPath('docker') === undefined) return { why: 'the docker command is not installed' };
    const engine = await startEngine();
    try {
      await engine.container('talker', ['sh', '-c', WRITE]);
      await eventually(async () => (await engine.state('talker')) === 'exited', 60_000);
      const { pair } = await bench.ownPair({
        grants: EVERYTHING,
        broker: `  engine_socket: ${engine.socket}\n`,
        daemon: 'limits: {requests_per_second: 1000000, burst: 1000000}\n',
      });
      const door = await sseDoor({ url: pair.url, ca: pair.ca, token: pair.token('ops') });
      const params = { name: 'docker/logs', arguments: { container: 'talker', lines: LINES, privileged: true } };
      const answer = await door.ask('tools/call', params);
      const ours = { name: 'docker/logs', run: () => door.ask('tools/call', params).then(() => undefined) };
      const theirs = program('docker', ['-H', `unix://${engine.socket}`, 'logs', 'talker'], { privileged: true });
      return {
        contestants: [ours, { ...theirs, name: 'docker logs' }],
        note: `${LINES} lines, an answer of ${(answer.length / 1e6).toFixed(2)} MB`,
        close: async () => {
          door.close();
          await engine.stop();
        },
      };
    } catch (error) {
      await engine.stop();
      throw error;
    }
  },
};

export const lines = [logs];
