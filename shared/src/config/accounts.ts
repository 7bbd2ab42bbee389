/** What the configuration must know of OS accounts: which names have uid 0. Names that do not exist are no fault. */

/** Account name to uid. Made by the loader; readers take it as a parameter and touch no file. */
export type AccountUids = ReadonlyMap<string, number>;

/** What is known without a passwd file. */
export const ROOT_ONLY: AccountUids = new Map([['root', 0]]);
