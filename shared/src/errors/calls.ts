/** Error texts of the call itself: arguments, limits, sessions. Part of the registry in ../errors.ts. */
import type { ErrorEntry } from './entry.ts';

export const CALLS = {
  unknown_tool: { code: 'UNKNOWN_TOOL', text: 'unknown tool: {name}' },
  arguments_not_object: { code: 'BAD_ARGS', text: 'arguments must be an object' },
  argument_reserved: { code: 'BAD_ARGS', text: 'unknown argument "{name}": names starting with _ are reserved' },
  argument_required: { code: 'BAD_ARGS', text: '{name} argument is required' },
  argument_type: { code: 'BAD_ARGS', text: '{name} must be {type}' },
  argument_enum: { code: 'BAD_ARGS', text: 'invalid {name} "{value}" ({allowed})' },
  argument_min: { code: 'BAD_ARGS', text: '{name} must be at least {min}' },
  argument_max: { code: 'BAD_ARGS', text: '{name} must be at most {max}' },
  argument_unknown: { code: 'BAD_ARGS', text: 'unknown argument "{name}"{hint}' },
  bad_args: { code: 'BAD_ARGS', text: 'invalid arguments for {op}: {reason}' },
  path_not_absolute: { code: 'BAD_ARGS', text: 'path must be absolute, got "{path}"' },
  path_invalid: { code: 'BAD_ARGS', text: 'invalid path "{path}"' },
  timeout: { code: 'TIMEOUT', text: 'timed out after {seconds} seconds - the call was stopped' },
  cancelled: { code: 'CANCELLED', text: 'the call was cancelled' },
  broker_unavailable: { code: 'BROKER_UNAVAILABLE', text: 'the privileged broker is not available' },
  internal: { code: 'INTERNAL', text: 'internal error (request {request})' },
  read_only: {
    code: 'READ_ONLY',
    text: '{tool} is not available: this daemon is read-only (catalogue.read_only in daemon.yaml)',
  },
  rate_limited: { code: 'BUSY', text: 'too many requests: user {user} may make {rate} per second - try again shortly' },
  too_many_waiting: {
    code: 'BUSY',
    text: 'too many calls are waiting in this session ({count}) - wait for answers first',
  },
  busy: { code: 'BUSY', text: 'too many privileged calls are running - try again shortly' },
  audit_unavailable: {
    code: 'AUDIT_UNAVAILABLE',
    text: 'refused: the audit log cannot be written ({reason}) - nothing was done',
  },
  no_session: { code: 'NO_SESSION', text: 'no session: authenticate again' },
  bad_token: { code: 'UNAUTHENTICATED', text: 'Unauthorized' },
  shutting_down: { code: 'SHUTTING_DOWN', text: 'the daemon is shutting down - the call was stopped' },
} as const satisfies Record<string, ErrorEntry>;
