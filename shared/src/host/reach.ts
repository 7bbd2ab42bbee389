/** From a host to the addresses that may be connected to: spelling, name, look-up and addresses are judged here, in this order. */
import type { NetworkPolicy } from '../config/types.ts';
import { StewardError } from '../errors.ts';
import type { Destination } from './destination.ts';
import { Lookup } from './lookup.ts';
import { judgesAddresses, permittedAddresses, refuseName, refuseUnresolved } from './network-policy.ts';
import type { TimeLimit } from './time-limit.ts';

/**
 * The addresses of `host` that the policy permits; connect to these and look nothing up again. Throws the policy's refusal (before
 * any query, where the name decides), and what `Lookup.addresses` throws.
 */
export async function reachableAddresses(
  host: Destination,
  policy: NetworkPolicy,
  root: string,
  limit: TimeLimit,
): Promise<readonly string[]> {
  const refusal = refuseName(policy, host);
  if (refusal !== undefined) throw refusal;
  if (host.isAddress) return [host.name];
  const lookup = await Lookup.open(root, limit);
  return permittedAddresses(policy, host, await lookup.addresses(host.name, host.shown));
}

/**
 * Judges a host that is only named to a server (a Host header): it need not exist. Throws the policy's refusal, and what look-ups
 * throw when its addresses could matter and cannot be told.
 */
export async function judgeNamed(host: Destination, policy: NetworkPolicy, root: string, limit: TimeLimit): Promise<void> {
  const refusal = refuseName(policy, host);
  if (refusal !== undefined) throw refusal;
  if (!judgesAddresses(policy)) return;
  try {
    await reachableAddresses(host, policy, root, limit);
  } catch (error) {
    if (!(error instanceof StewardError) || error.key !== 'host_not_found') throw error;
    const unresolved = refuseUnresolved(policy, host);
    if (unresolved !== undefined) throw unresolved;
  }
}
