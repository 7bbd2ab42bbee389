/** The state of one container, made from the engine's document. Pure. */
import { flag, integer, members, text, type Members } from '../../engine/json.ts';
import { portList } from '../../engine/ports.ts';
import { isNever, since, utcTime } from '../../engine/times.ts';
import type { Inspected } from './common.ts';

/** The fields of docker-container://{name}/status. */
export function statusOf({ document, id, name, short }: Pick<Inspected, 'document' | 'id' | 'name' | 'short'>): Members {
  const state = members(document['State']);
  const host = members(document['HostConfig']);
  const policy = members(host['RestartPolicy']);
  const running = flag(state['Running']);
  const started = utcTime(state['StartedAt']);
  const finished = utcTime(state['FinishedAt']);
  const error = text(state['Error']);
  const health = members(state['Health']);
  return {
    name,
    id: short,
    full_id: id,
    state: text(state['Status']),
    running,
    paused: flag(state['Paused']),
    restarting: flag(state['Restarting']),
    oom_killed: flag(state['OOMKilled']),
    exit_code: integer(state['ExitCode']),
    pid: integer(state['Pid']),
    restart_count: integer(document['RestartCount']),
    image: text(members(document['Config'])['Image']),
    created: utcTime(document['Created']),
    started_at: started,
    ...(isNever(finished) ? {} : { finished_at: finished }),
    ...(running && !isNever(started) ? { uptime: since(started) } : {}),
    ...(error === '' ? {} : { error }),
    ...healthOf(health),
    privileged: flag(host['Privileged']),
    restart_policy: { name: text(policy['Name']), maximum_retry_count: integer(policy['MaximumRetryCount']) },
    limits: limitsOf(host),
    ports: portList(members(document['NetworkSettings'])['Ports']),
    networks: networksOf(document),
  };
}

function healthOf(health: Members): Members {
  const status = text(health['Status']);
  return status === '' ? {} : { health: status, health_failing_streak: integer(health['FailingStreak']) };
}

/** Null when none is set. */
function limitsOf(host: Members): Members | null {
  const quota = integer(host['CpuQuota']) / (integer(host['CpuPeriod']) || 100_000);
  const limits = {
    memory_bytes: integer(host['Memory']),
    memory_swap_bytes: integer(host['MemorySwap']),
    cpus: integer(host['NanoCpus']) / 1e9 || Math.max(0, quota),
    cpu_shares: integer(host['CpuShares']),
    pids_limit: Math.max(0, integer(host['PidsLimit'])),
  };
  return Object.values(limits).every((limit) => limit === 0) ? null : limits;
}

/** Name of the network to the container's address in it. */
function networksOf(document: Members): Record<string, string> {
  const networks = members(members(document['NetworkSettings'])['Networks']);
  return Object.fromEntries(
    Object.entries(networks).map(([name, endpoint]) => {
      const { IPAddress, GlobalIPv6Address } = members(endpoint);
      return [name, text(IPAddress) || text(GlobalIPv6Address)];
    }),
  );
}
