/**
 * The revisions of the Model Context Protocol that this server speaks and what differs between them. A revision is a date, so
 * that later ones compare greater.
 */

/** Revisions that begin with `initialize`, oldest first. */
const LEGACY_VERSIONS: readonly string[] = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
/** What a client gets that asks for a revision nobody knows. */
const NEWEST_LEGACY = '2025-11-25';
/** The revision without a handshake: every request says all about itself. */
export const MODERN_VERSION = '2026-07-28';
/** The revision that the SSE endpoint speaks, whatever a client asks for. */
export const SSE_VERSION = '2024-11-05';

/** What `/mcp` speaks, newest first; the oldest revision has no endpoint of this kind. */
export const MCP_VERSIONS: readonly string[] = [MODERN_VERSION, ...LEGACY_VERSIONS.slice(1).reverse()];

/**
 * What an endpoint offers. `sse`: exactly what the first revision had. `legacy`: sessions with everything that came since.
 * `modern`: requests without a session.
 */
export type Surface = 'sse' | 'legacy' | 'modern';

export function isLegacyVersion(version: string): boolean {
  return LEGACY_VERSIONS.includes(version);
}

/** The revision of a session: what was asked for if it is spoken here, else the newest that has sessions. */
export function negotiate(asked: string): string {
  return isLegacyVersion(asked) ? asked : NEWEST_LEGACY;
}

/** Arrays of messages were taken out of the protocol after 2025-03-26. */
export function takesBatches(version: string): boolean {
  return version <= '2025-03-26';
}

/** Streams may begin with an id and no data. Clients of earlier revisions take an event without data for a broken message. */
export function takesPrimedStreams(version: string): boolean {
  return version >= '2025-11-25';
}

/** Results may carry data beside their text. */
export function hasStructuredContent(surface: Surface, version: string): boolean {
  return surface !== 'sse' && version >= '2025-06-18';
}
