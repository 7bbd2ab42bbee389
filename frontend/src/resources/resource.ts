/**
 * What a resource or resource template is: the words that clients see and how its content is made. It holds no policy: it asks
 * its context to run an operation here or in the broker, and the broker alone permits the latter.
 */
import type { UserGrants } from '@steward/shared/config/types.ts';
import type { Operation } from '@steward/shared/ops/operation.ts';
import type { Outcome, Text } from '../tools/tool.ts';

/** What a read stands on. Outcomes stay readable until the answer has been sent. */
export interface ResourceContext {
  /** The URI as the client wrote it; it is echoed in the answer. */
  readonly uri: string;
  /** Placeholders of the template, percent-decoded once; empty for a fixed resource. */
  readonly params: Readonly<Record<string, string>>;
  readonly user: string;
  /** The caller's own grants, to decide whether asking the broker is worth while. Never to permit. */
  readonly grants: UserGrants;
  /** Runs an operation unprivileged, in this process. Throws StewardError. */
  runLocal<Args, Result, Item = never>(op: Operation<Args, Result, Item>, args: Args): Promise<Outcome<Result, Item>>;
  /** Runs an operation as root, in the broker. Throws StewardError, `broker_unavailable` when it cannot be reached. */
  runRoot<Args, Result, Item = never>(op: Operation<Args, Result, Item>, args: Args): Promise<Outcome<Result, Item>>;
}

export interface ResourceContent {
  readonly mimeType: string;
  readonly text: Text;
}

export interface ResourceEntry {
  readonly name: string;
  readonly description: string;
  readonly mimeType: string;
  /** `tools_group` and `cli_verb` of the listing. */
  readonly group: string;
  readonly verb: string;
  /** Makes the content. Throws StewardError: the reason becomes the message of a JSON-RPC error. */
  read(context: ResourceContext): Promise<ResourceContent>;
}

/** A fixed resource. */
export interface FixedResource extends ResourceEntry {
  readonly uri: string;
  readonly uriTemplate?: never;
}

/** A template with placeholders in braces (RFC 6570 level 1). */
export interface ResourceTemplate extends ResourceEntry {
  readonly uriTemplate: string;
  /** What URIs are matched by, where that is wider than what is listed: other views, or those that are refused by name. */
  readonly matches?: string;
  /** What there is to choose from for a placeholder, by its name; in the order in which it is offered. Shows only what the caller may read. */
  readonly complete?: Readonly<Record<string, (context: ResourceContext) => Promise<readonly string[]>>>;
  readonly uri?: never;
}

export type Resource = FixedResource | ResourceTemplate;

/** What `findResource(uri)` answers; it throws URIError for a malformed percent escape or a NUL, undefined means unknown. */
export interface FoundResource {
  readonly resource: Resource;
  readonly params: Readonly<Record<string, string>>;
}
