/** Counts up to this one are always exact as of the request. */
const exactUpTo = 5_000;
/** A larger count may be this old, in milliseconds. */
const maximumAge = 10_000;
const maximumEntries = 1_000;

/** Spares the counting of large classes on every page of a list. */
export class CountCache {
  private readonly counts = new Map<string, { count: number; at: number }>();

  /** The remembered count under the key, or the one that `count` finds. */
  async get(key: string, count: () => Promise<number>): Promise<number> {
    const remembered = this.counts.get(key);
    if (remembered !== undefined && Date.now() - remembered.at < maximumAge) return remembered.count;
    const at = Date.now();
    const counted = await count();
    this.counts.delete(key);
    if (counted > exactUpTo) this.remember(key, { count: counted, at });
    return counted;
  }

  private remember(key: string, entry: { count: number; at: number }): void {
    if (this.counts.size >= maximumEntries) {
      const [oldest] = this.counts.keys();
      if (oldest !== undefined) this.counts.delete(oldest);
    }
    this.counts.set(key, entry);
  }
}
