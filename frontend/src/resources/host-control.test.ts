/** Proves the views of crontabs and services, and who is asked for them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_GRANTS, type UserGrants } from '@steward/shared/config/types.ts';
import { StewardError } from '@steward/shared/errors.ts';
import type { AnyOperation } from '@steward/shared/ops/operation.ts';
import { collect, outcomeOf } from '../testing/outcome.ts';
import { CRONTAB_TEMPLATES } from './crontab.ts';
import { matchTemplate } from './match.ts';
import type { ResourceContext, ResourceTemplate } from './resource.ts';
import { SERVICE_TEMPLATES } from './services.ts';

const [crontab] = CRONTAB_TEMPLATES;
const [service] = SERVICE_TEMPLATES;

interface Given {
  readonly grants?: UserGrants;
  /** What running here fails with. */
  readonly local?: StewardError;
}

async function read(template: ResourceTemplate | undefined, uri: string, { grants = NO_GRANTS, local }: Given = {}) {
  assert.ok(template);
  const params = matchTemplate(template.matches ?? template.uriTemplate, uri) ?? assert.fail(uri);
  const asked: string[] = [];
  const run = (side: string) =>
    ((op: AnyOperation, args: Record<string, string>) => {
      asked.push(`${side} ${op.name} ${Object.values(args).join(' ')}`);
      if (side === 'local' && local !== undefined) return Promise.reject(local);
      const result = op.kind === 'bytes' ? { user: 'alice', lines: 1 } : { name: 'ssh.service' };
      return Promise.resolve(outcomeOf(result, [], [Buffer.from('A=1\n')]));
    }) as ResourceContext['runLocal'];
  const { mimeType, text } = await template.read({
    uri,
    params,
    user: 'ops',
    grants,
    runLocal: run('local'),
    runRoot: run('root'),
  });
  return { mimeType, text: await collect(text), asked };
}

test('both views of a crontab come from the broker', async () => {
  const info = await read(crontab, 'crontab://alice/info');
  assert.deepEqual(info.asked, ['root resource/crontab alice']);
  assert.equal(info.mimeType, 'application/json');
  assert.deepEqual(JSON.parse(info.text), { user: 'alice', lines: 1 });
  assert.deepEqual(await read(crontab, 'crontab://a%6Cice/text'), {
    mimeType: 'text/plain',
    text: 'A=1\n',
    asked: ['root resource/crontab alice'],
  });
});

test('another view is refused by name', async () => {
  for (const [uri, view] of [
    ['crontab://alice/raw', 'raw'],
    ['crontab://alice/', ''],
  ]) {
    await assert.rejects(read(crontab, uri ?? ''), {
      message: `unsupported view "${view ?? ''}": use crontab://<user>/text or crontab://<user>/info`,
    });
  }
  assert.equal(matchTemplate(crontab?.matches ?? '', 'crontab://alice'), undefined);
});

test('a service is asked for here', async () => {
  const { asked, text } = await read(service, 'service://ssh/status');
  assert.deepEqual(asked, ['local resource/service-status ssh']);
  assert.deepEqual(JSON.parse(text), { name: 'ssh.service' });
  assert.equal(matchTemplate(service?.uriTemplate ?? '', 'service://ssh'), undefined);
});

test('root is asked only where systemd refused and a grant covers the unit', async () => {
  const local = new StewardError('systemd_unreachable', { reason: 'Failed to get properties: Access denied', errno: 'EACCES' });
  const grants = (units: string[]): UserGrants => ({ tools: {}, resources: { 'service://': units } });
  const granted = await read(service, 'service://ssh/status', { local, grants: grants(['ssh.*']) });
  assert.deepEqual(granted.asked, ['local resource/service-status ssh', 'root resource/service-status ssh']);
  await assert.rejects(read(service, 'service://ssh/status', { local, grants: grants(['nginx.service']) }), {
    message:
      'failed to reach systemd: Failed to get properties: Access denied (user ops is not authorized to read service://ssh/status as root: resources: in grants.yaml)',
  });
  const gone = new StewardError('service_not_found', { name: 'ssh' });
  await assert.rejects(read(service, 'service://ssh/status', { local: gone, grants: grants(['*']) }), gone);
});
