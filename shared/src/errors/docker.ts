/** Error texts of the container engine. Part of the registry in ../errors.ts. */
import type { ErrorEntry } from './entry.ts';

export const DOCKER = {
  docker_not_granted: {
    code: 'NOT_GRANTED',
    text: 'user {user} is not authorized to run {tool}: the container engine socket belongs to root, so every docker/* tool needs allowed: true in its grant in grants.yaml',
  },
  docker_resource_not_granted: {
    code: 'NOT_GRANTED',
    text: 'user {user} is not authorized to read {uri}: add it under resources: {scheme} in grants.yaml',
  },
  container_invalid: {
    code: 'BAD_ARGS',
    text: 'invalid container identifier "{container}": expected a container name or hexadecimal id',
  },
  container_required: { code: 'BAD_ARGS', text: 'container name or ID is required' },
  container_restricted: {
    code: 'RESTRICTED',
    text: "not authorized to act on container {name} ({id}): it is not in this tool's containers: list in grants.yaml",
  },
  container_resource_restricted: {
    code: 'RESTRICTED',
    text: 'not authorized to act on container {name} ({id}): it is not in the docker-container:// list in grants.yaml',
  },
  containers_missing: {
    code: 'RESTRICTED',
    text: "not authorized: no containers: list in this tool's grant in grants.yaml - add the names or ids this user may act on",
  },
  container_action: {
    code: 'BAD_ARGS',
    text: 'unknown action "{action}": use one of kill, pause, restart, start, stop, unpause, remove',
  },
  container_view: {
    code: 'BAD_ARGS',
    text: 'unknown view "{view}" for {uri}: use .../status, /inspect, /stats or /top',
  },
  container_running: {
    code: 'CONFLICT',
    text: 'docker API returned 409: {text} - stop or kill it first (this tool never removes a running container by force)',
  },
  docker_not_found: { code: 'NOT_FOUND', text: 'docker API returned 404: {text}' },
  docker_conflict: { code: 'CONFLICT', text: 'docker API returned 409: {text}' },
  docker_api: { code: 'ENGINE', text: 'docker API returned {status}: {text}' },
  docker_ambiguous: { code: 'BAD_ARGS', text: '{kind} identifier "{identifier}" is ambiguous ({count} matches)' },
  docker_socket_missing: {
    code: 'ENGINE',
    text: 'docker socket {path} not found - is a container engine installed and running on this host?',
  },
  docker_unreachable: { code: 'ENGINE', text: 'docker socket {path} cannot be used: {reason}' },
  docker_broken: { code: 'ENGINE', text: 'the container engine cannot be talked to: {reason}' },
  docker_too_old: { code: 'ENGINE', text: 'the container engine speaks API version {version}, and 1.41 or later is needed' },
  docker_too_large: { code: 'TOO_LARGE', text: "the container engine's answer is larger than {limit} MiB" },
  docker_time: {
    code: 'BAD_ARGS',
    text: 'invalid time "{value}": give a unix timestamp (1759005000) or an RFC3339 time',
  },
  exec_command: { code: 'BAD_ARGS', text: 'command is required: an argv array such as ["ls", "-l"]' },
  exec_restricted: {
    code: 'RESTRICTED',
    text: "not authorized to run this command: it matches no entry of this tool's commands: list in grants.yaml",
  },
  exec_user: { code: 'BAD_ARGS', text: 'invalid user "{user}"' },
  exec_directory: { code: 'BAD_ARGS', text: 'working_dir must be absolute, got "{path}"' },
  exec_timeout: {
    code: 'TIMEOUT',
    text: 'timed out after {seconds} seconds - the command may still be running in container {name} ({id})',
  },
  prune_target: {
    code: 'BAD_ARGS',
    text: 'target is required: name the one kind to reclaim (containers, images, volumes, networks, build-cache)',
  },
  prune_unknown: {
    code: 'BAD_ARGS',
    text: 'unknown prune target "{target}": use one of containers, images, volumes, networks, build-cache',
  },
  prune_restricted: {
    code: 'RESTRICTED',
    text: "not authorized to prune {target}: it is not in this tool's prune: list in grants.yaml (granted: {granted})",
  },
  prune_missing: { code: 'RESTRICTED', text: "not authorized: no prune: list in this tool's grant in grants.yaml" },
} as const satisfies Record<string, ErrorEntry>;
