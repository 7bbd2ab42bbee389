/**
 * The first exchange on a connection: both sides must speak the same protocol and have been built from the same table. Only then
 * does the broker hand over what the frontend needs to serve clients.
 */
import type { TlsPair } from '@steward/shared/config/tls.ts';
import type { ConfigSnapshot } from '@steward/shared/config/types.ts';
import type { ProtectedList } from '@steward/shared/host/guard.ts';
import { PROTOCOL, type BrokerMessage, type FrontendMessage } from '@steward/shared/ipc/messages.ts';

/** How long the frontend may take to introduce itself. */
export const HELLO_MS = 2_000;

type Hello = Extract<FrontendMessage, { type: 'hello' }>;

/** Says how the two sides differ, or undefined when they fit. */
export function skew(hello: Hello, tableDigest: string): string | undefined {
  if (hello.protocol !== PROTOCOL) return `VERSION_SKEW: frontend speaks protocol ${hello.protocol}, broker ${PROTOCOL}`;
  if (hello.table !== tableDigest) return `VERSION_SKEW: frontend was built for table ${hello.table}, broker has ${tableDigest}`;
  return undefined;
}

export interface Welcome {
  readonly tableDigest: string;
  readonly config: ConfigSnapshot;
  readonly tls: TlsPair | null;
  readonly protectedList: ProtectedList;
}

/** The broker's half of the handshake. */
export function welcome({ tableDigest, config, tls, protectedList }: Welcome): BrokerMessage {
  return {
    type: 'hello',
    protocol: PROTOCOL,
    table: tableDigest,
    config: { text: config.daemonText, file: config.files[0] },
    tls,
    protected: protectedList,
  };
}
