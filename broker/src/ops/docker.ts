/** Rows of the allowlist: containers, through the engine's socket alone. How to read a row: table.ts. */
import { dockerContainerView } from '@steward/shared/ops/docker/container-view.ts';
import { dockerContainers } from '@steward/shared/ops/docker/containers.ts';
import { dockerExec } from '@steward/shared/ops/docker/exec.ts';
import { dockerImages } from '@steward/shared/ops/docker/images.ts';
import { dockerLogs } from '@steward/shared/ops/docker/logs.ts';
import { dockerManage } from '@steward/shared/ops/docker/manage.ts';
import { dockerNetworks } from '@steward/shared/ops/docker/networks.ts';
import { dockerImageView, dockerNetworkView, dockerVolumeView } from '@steward/shared/ops/docker/object-view.ts';
import { dockerPrune } from '@steward/shared/ops/docker/prune.ts';
import { dockerVolumes } from '@steward/shared/ops/docker/volumes.ts';
import type { ResourceScheme, ToolName } from '@steward/shared/catalogue/facts.ts';
import type { AnyOperation } from '@steward/shared/ops/operation.ts';
import { byContainer, byContainerAndCommand, byContainerResource, byObjectResource, byPruneTarget } from './restrict-docker.ts';
import { none } from '../restrict.ts';
import { ENGINE_SOCKET, type Row } from '@steward/shared/catalogue/row.ts';

const KiB = 1024;
const MiB = 1024 * KiB;

const TOUCHES: Row['touches'] = { capabilities: [], programs: [], sockets: [ENGINE_SOCKET], paths: [] };
const limits = (deadlineSeconds: number, maxResultBytes: number): Row['limits'] => ({
  deadlineSeconds,
  maxResultBytes,
  maxUploadBytes: 0,
});

/** Whoever may use the engine at all may list what is there. */
function listing(op: AnyOperation, tool: ToolName, shown: readonly string[]): Row {
  const grant = { tool, refusal: 'docker_not_granted' } as const;
  return { op, grant, effect: 'read', restriction: none, cancel: 'stops', touches: TOUCHES, limits: limits(120, 0), shown };
}

function view(op: AnyOperation, scheme: ResourceScheme, uri: string, more: Pick<Row, 'restriction' | 'shown'>): Row {
  const grant = { resource: scheme, uri, refusal: 'docker_resource_not_granted' } as const;
  return { op, grant, effect: 'read', cancel: 'stops', touches: TOUCHES, limits: limits(120, 9 * MiB), ...more };
}

// prettier-ignore
export const DOCKER_ROWS: readonly Row[] = [
  listing(dockerContainers, 'docker/containers', ['all', 'pattern', 'state', 'limit']),
  {
    op:          dockerManage,
    grant:       { tool: 'docker/manage', refusal: 'docker_not_granted' },
    effect:      'write',
    restriction: byContainer,
    touches:     TOUCHES,
    limits:      limits(120, 64 * KiB),
    cancel:      'finishes',
    shown:       ['container', 'action', 'dry_run'],
    reports:     ['result', 'state'],
  },
  {
    op:          dockerLogs,
    grant:       { tool: 'docker/logs', refusal: 'docker_not_granted' },
    effect:      'read',
    restriction: byContainer,
    touches:     TOUCHES,
    limits:      limits(120, 2 * MiB),
    cancel:      'stops',
    shown:       ['container', 'lines', 'since', 'until', 'stdout', 'stderr', 'timestamps'],
  },
  {
    op:          dockerExec,
    grant:       { tool: 'docker/exec', refusal: 'docker_not_granted' },
    effect:      'write',
    restriction: byContainerAndCommand,
    touches:     TOUCHES,
    // Control characters take six bytes each in a record.
    limits:      limits(300, 8 * MiB),
    cancel:      'finishes',
    shown:       ['container', 'command', 'user', 'working_dir', 'timeout', 'dry_run'],
    reports:     ['exit_code', 'running', 'truncated'],
  },
  listing(dockerImages, 'docker/images', ['all', 'pattern']),
  listing(dockerVolumes, 'docker/volumes', ['pattern']),
  listing(dockerNetworks, 'docker/networks', ['pattern', 'driver']),
  {
    op:          dockerPrune,
    grant:       { tool: 'docker/prune', refusal: 'docker_not_granted' },
    effect:      'write',
    restriction: byPruneTarget,
    touches:     TOUCHES,
    limits:      limits(600, MiB),
    cancel:      'finishes',
    shown:       ['target', 'dry_run'],
    reports:     ['count', 'space_reclaimed_bytes'],
  },
  // ── Resources docker-..://.. ───────────────────────────────────────────────────────────────────────────────────────────────
  view(dockerContainerView, 'docker-container://', 'docker-container://{container}/{view}', { restriction: byContainerResource, shown: ['container', 'view'] }),
  view(dockerImageView, 'docker-image://', 'docker-image://{name}/inspect', { restriction: byObjectResource('image'), shown: ['name'] }),
  view(dockerVolumeView, 'docker-volume://', 'docker-volume://{name}/inspect', { restriction: byObjectResource('volume'), shown: ['name'] }),
  view(dockerNetworkView, 'docker-network://', 'docker-network://{name}/inspect', { restriction: byObjectResource('network'), shown: ['name'] }),
];
