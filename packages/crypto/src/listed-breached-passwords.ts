import { readFileSync } from "node:fs";
import type { BreachedPasswords } from "@sallyport/core";

/** Bytes of each digest that the list keeps: so many that no password is taken for another by chance (one in ten million). */
const kept = 5;

/** Passwords of published lists, by the beginnings of their MD5 in ascending order: what clients send can be looked up like what people type. */
export class ListedBreachedPasswords implements BreachedPasswords {
  private readonly digests: Buffer;

  constructor(file: string | URL = new URL("../data/breached-passwords.bin", import.meta.url)) {
    this.digests = readFileSync(file);
  }

  /** How many there are. */
  get size(): number {
    return this.digests.length / kept;
  }

  has(md5: string): boolean {
    const wanted = Number.parseInt(md5.slice(0, 2 * kept), 16);
    let [from, to] = [0, this.size];
    while (from < to) {
      const middle = Math.floor((from + to) / 2);
      const found = this.digests.readUIntBE(middle * kept, kept);
      if (found === wanted) return true;
      if (found < wanted) from = middle + 1;
      else to = middle;
    }
    return false;
  }
}
