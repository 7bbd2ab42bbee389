/** The columns of a row that are written the same way in every row. How to read a row: table.ts. */
import type { Capability, ProgramUse, Row } from '../row.ts';

export const KiB = 1024;
export const MiB = 1024 * KiB;

/** What a row needs of the system: capabilities, paths (for people), programs, sockets. */
export function touches(
  capabilities: readonly Capability[],
  paths: readonly string[],
  programs: readonly ProgramUse[] = [],
  sockets: readonly string[] = [],
): Row['touches'] {
  return { capabilities, programs, sockets, paths };
}

/** Seconds; bytes of the result (0: streamed without a cap); bytes of the upload. */
export function limits(deadlineSeconds: number, maxResultBytes: number, maxUploadBytes = 0): Row['limits'] {
  return { deadlineSeconds, maxResultBytes, maxUploadBytes };
}
