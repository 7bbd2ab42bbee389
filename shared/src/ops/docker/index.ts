/** The operations behind docker tools and resources, tools in the order of the catalogue. All run in the broker alone. */
import type { AnyOperation } from '../operation.ts';
import { dockerContainerView } from './container-view.ts';
import { dockerContainers } from './containers.ts';
import { dockerExec } from './exec.ts';
import { dockerImages } from './images.ts';
import { dockerLogs } from './logs.ts';
import { dockerManage } from './manage.ts';
import { dockerNetworks } from './networks.ts';
import { dockerImageView, dockerNetworkView, dockerVolumeView } from './object-view.ts';
import { dockerPrune } from './prune.ts';
import { dockerVolumes } from './volumes.ts';

export const DOCKER_OPERATIONS: readonly AnyOperation[] = [
  dockerContainers,
  dockerManage,
  dockerLogs,
  dockerExec,
  dockerImages,
  dockerVolumes,
  dockerNetworks,
  dockerPrune,
  // Behind resources.
  dockerContainerView,
  dockerImageView,
  dockerVolumeView,
  dockerNetworkView,
];
