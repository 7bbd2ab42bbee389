/** The shape of one entry of the error registry. */

/** `code` for programs, `text` for people with `{name}` places for parameters. */
export interface ErrorEntry {
  readonly code: string;
  readonly text: string;
}
