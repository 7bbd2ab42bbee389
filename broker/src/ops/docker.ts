/**
 * Rows of the allowlist: containers, through the engine's socket alone. How to read a row: table.ts. Whoever may use the engine at all
 * may list what is there; the engine is asked for nothing before the grant has been judged.
 */
import { ENGINE_SOCKET, type Row } from '@steward/shared/catalogue/row.ts';
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
import { none } from '../restrict.ts';
import { KiB, MiB, needs, reads, serves, writes } from './columns.ts';
import { byContainer, byContainerAndCommand, byContainerResource, byObjectResource, byPruneTarget } from './restrict-docker.ts';

const ENGINE = needs([], [], [], [ENGINE_SOCKET]);

const grant = (tool: ToolName): Pick<Row, 'grant'> => ({ grant: { tool, refusal: 'docker_not_granted' } });
const listed = (resource: ResourceScheme, uri: string): Pick<Row, 'grant'> => ({
  grant: { resource, uri, refusal: 'docker_resource_not_granted' },
});

/** Of an answer of the engine, as it is sent on. */
const DOCUMENT = 9 * MiB;

// prettier-ignore
export const DOCKER_ROWS: readonly Row[] = [
  // ── Containers ────────── on which object        seconds  bytes  needs     shown in the record
  reads(dockerContainers,    none,                   120,     0,    ENGINE, ['all', 'pattern', 'state', 'limit'], grant('docker/containers')),
  writes(dockerManage,       byContainer,            120, 64 * KiB, ENGINE, ['container', 'action', 'dry_run'],
    { ...grant('docker/manage'), reports: ['result', 'state'] }),
  reads(dockerLogs,          byContainer,            120,  2 * MiB, ENGINE, ['container', 'lines', 'since', 'until', 'stdout', 'stderr', 'timestamps'],
    grant('docker/logs')),
  // Control characters of the output take six bytes each in a record.
  writes(dockerExec,         byContainerAndCommand,  300,  8 * MiB, ENGINE, ['container', 'command', 'user', 'working_dir', 'timeout', 'dry_run'],
    { ...grant('docker/exec'), reports: ['exit_code', 'running', 'truncated'] }),
  reads(dockerImages,        none,                   120,     0,    ENGINE, ['all', 'pattern'], grant('docker/images')),
  reads(dockerVolumes,       none,                   120,     0,    ENGINE, ['pattern'], grant('docker/volumes')),
  reads(dockerNetworks,      none,                   120,     0,    ENGINE, ['pattern', 'driver'], grant('docker/networks')),
  writes(dockerPrune,        byPruneTarget,          600,     MiB,  ENGINE, ['target', 'dry_run'],
    { ...grant('docker/prune'), reports: ['count', 'space_reclaimed_bytes'] }),
  serves(dockerContainerView, 'docker-container://', 'docker-container://{container}/{view}', byContainerResource, 120, DOCUMENT, ENGINE,
    ['container', 'view'], listed('docker-container://', 'docker-container://{container}/{view}')),
  serves(dockerImageView,     'docker-image://',     'docker-image://{name}/inspect',   byObjectResource('image'),   120, DOCUMENT, ENGINE,
    ['name'], listed('docker-image://', 'docker-image://{name}/inspect')),
  serves(dockerVolumeView,    'docker-volume://',    'docker-volume://{name}/inspect',  byObjectResource('volume'),  120, DOCUMENT, ENGINE,
    ['name'], listed('docker-volume://', 'docker-volume://{name}/inspect')),
  serves(dockerNetworkView,   'docker-network://',   'docker-network://{name}/inspect', byObjectResource('network'), 120, DOCUMENT, ENGINE,
    ['name'], listed('docker-network://', 'docker-network://{name}/inspect')),
];
