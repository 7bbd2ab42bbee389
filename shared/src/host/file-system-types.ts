/** Of what type the file system is on which an object lies (f_type, statfs(2)). A tree mostly lies on one: it is asked once. */
import { statfsSync } from 'node:fs';

/** From statfs(2); ext stands for ext2 to ext4. */
export const EXT = 0xef53;
export const XFS = 0x58465342;
export const BTRFS = 0x9123683e;
export const TMPFS = 0x01021994;
export const OVERLAYFS = 0x794c7630;

export class FileSystemTypes {
  readonly #ask: (at: string) => number;
  #device = -1;
  #type = 0;

  /** `ask` gets a path of the object; another than the kernel's answer only in tests. */
  constructor(ask: (at: string) => number = (at) => statfsSync(at).type) {
    this.#ask = ask;
  }

  /** `at` is a path that leads to an object on this device (st_dev). Throws the system error. */
  typeOf(at: string, device: number): number {
    if (device !== this.#device) {
      this.#type = this.#ask(at);
      this.#device = device;
    }
    return this.#type;
  }
}
