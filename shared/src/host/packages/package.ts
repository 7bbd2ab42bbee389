/** What is told of an installed package, whichever database it comes from. */

export interface InstalledPackage {
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
}
