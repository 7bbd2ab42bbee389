/**
 * What one row of the allowlist says. The table is data: dispatch, documents, stubs, units and fuzz seeds are made from it.
 */
import type { ExtraGrant, RestrictionKey, ToolName, ResourceScheme } from './facts.ts';
import type { ErrorKey } from '../errors.ts';
import type { AnyOperation } from '../ops/operation.ts';
import type { Engine } from '../engine/engine.ts';
import type { Grant, UserEntry } from '../config/types.ts';
import type { ProgramRunner } from '../host/programs.ts';
import type { PathSubject } from '../host/subject.ts';
import type { Guard } from '../host/guard.ts';

/** Linux capabilities (capabilities(7), without the CAP_ prefix) that a row may name. */
export type Capability =
  | 'CHOWN'
  | 'FOWNER'
  | 'FSETID'
  | 'DAC_READ_SEARCH'
  | 'DAC_OVERRIDE'
  | 'KILL'
  | 'SYS_PTRACE'
  | 'SYSLOG'
  | 'NET_ADMIN'
  | 'SYS_ADMIN'
  | 'SYS_RAWIO';

/**
 * What only SMART needs, and close to all of root's power: a broker has these only where the host asks for them. Without them
 * disks/health says that the disk cannot be opened.
 */
export const SMART_CAPABILITIES: readonly Capability[] = ['SYS_ADMIN', 'SYS_RAWIO'];

/** How a row names the container engine's socket among those it touches; only such a row can reach it. */
export const ENGINE_SOCKET = 'broker.engine_socket';

export interface ProgramUse {
  readonly name: string;
  /** Argument template (shared/src/host/argument-template.ts): the broker starts the program in no other way. */
  readonly argv: readonly string[];
}

/** What decides whether the caller may use the row at all. */
export type GrantRule =
  /** `users.<U>.tools.<tool>` with `allowed: true`; `refusal` is the tool's own text, when it has one. Not for calls of a `write` row that only look. */
  | { readonly tool: ToolName; readonly refusal?: ErrorKey }
  /** The same for a name under `tools` that is no tool. */
  | { readonly extra: ExtraGrant; readonly refusal?: ErrorKey }
  /** The caller's own object is free; any other needs a grant of that tool, and the restriction tells which it is. */
  | { readonly ownOrTool: ToolName }
  /** `users.<U>.resources.<scheme>` with an entry that covers the object; `uri` names it in texts, `{x}` is an argument. */
  | { readonly resource: ResourceScheme; readonly uri?: string; readonly refusal?: ErrorKey }
  /** Every user with a session (auth/sudo-rules: only ever about the caller). */
  | { readonly everyone: true };

/** What a restriction decides on. */
export interface RestrictionInput {
  readonly args: Readonly<Record<string, unknown>>;
  /** The tool's grant; for resource rows one made of the resource list (`paths`, `units`, `owners`, `containers`). */
  readonly grant: Grant;
  readonly user: string;
  /** The operation's own declaration of its path. */
  readonly op: AnyOperation;
  /** The tool's name or the URI, for texts. */
  readonly tool: string;
  readonly guard: Guard;
}

/** What a restriction gets besides when what was typed must be resolved by asking the host, or depends on who asks. */
export interface RestrictionCall extends RestrictionInput {
  /** The caller's OS account as users.yaml has it; it need not exist on this host. */
  readonly account: Pick<UserEntry, 'account' | 'account_uid'>;
  /** True when the call wants to change something, in a dry run too. */
  readonly writes: boolean;
  /** The programs that the row names. */
  readonly programs: ProgramRunner;
  /** The container engine, for rows that name its socket. */
  readonly engine: () => Promise<Engine>;
  /** Aborted when the call is stopped. */
  readonly signal: AbortSignal;
}

/** What a restriction found: the resolved object that `run` receives, and how the record names object and rule. */
export interface Restricted {
  readonly subject?: PathSubject;
  /** The resolved object, for the record. */
  readonly object: string;
  /** What decided, for instance `paths: /srv/x`. */
  readonly rule: string;
  /** Arguments with checked values in their canonical form, when they differ from what came in. */
  readonly args?: Readonly<Record<string, unknown>>;
  readonly allowSetid?: boolean;
  /** The accounts whose crontabs may be listed. */
  readonly accounts?: readonly string[];
}

/** Judges one call on the resolved object; throws StewardError to refuse. */
export interface Restriction {
  /** For the allowlist, for instance `paths`. */
  readonly name:
    RestrictionKey | 'none' | 'resource paths' | 'resource units' | 'resource owners' | 'resource names' | 'resource list';
  /** One sentence for the reviewer. */
  readonly says: string;
  decide(call: RestrictionCall): Restricted | Promise<Restricted>;
}

/** A restriction that finds its object by itself and at once. */
export interface ImmediateRestriction extends Restriction {
  decide(input: RestrictionInput): Restricted;
}

export interface Row {
  readonly op: AnyOperation;
  readonly grant: GrantRule;
  /** `write`: may change this host. `daemon`: changes the daemon itself, not the host. */
  readonly effect: 'read' | 'write' | 'daemon';
  /** A call of a `write` row changes something only when this argument is given and not empty; an upload also when it is empty. */
  readonly writesWith?: string;
  readonly restriction: Restriction;
  readonly touches: {
    readonly capabilities: readonly Capability[];
    readonly programs: readonly ProgramUse[];
    readonly sockets: readonly string[];
    /** Paths or path classes, for people. */
    readonly paths: readonly string[];
  };
  readonly limits: {
    readonly deadlineSeconds: number;
    /** Bytes of one result, 0 for no cap (streamed). */
    readonly maxResultBytes: number;
    readonly maxUploadBytes: number;
  };
  /** `stops`: at any moment. `finishes`: a begun change is finished. */
  readonly cancel: 'stops' | 'finishes';
  /** Arguments that the record shows; an upload is always shown as size and SHA-256 only. */
  readonly shown: readonly string[];
  /** Members of the result that the outcome's record shows. */
  readonly reports?: readonly string[];
}
