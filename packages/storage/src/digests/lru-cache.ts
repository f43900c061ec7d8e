/** A cache of recently used values. Use it only for values that never change. */
export class LruCache<Key, Value> {
  private latest = new Map<Key, Value>();
  private before = new Map<Key, Value>();

  /** @param size minimum number of recent entries that are kept; the maximum is twice as many */
  constructor(private readonly size: number) {}

  get(key: Key): Value | undefined {
    const value = this.latest.get(key);
    if (value !== undefined) return value;
    const older = this.before.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: Key, value: Value): void {
    if (this.latest.size >= this.size) {
      this.before = this.latest;
      this.latest = new Map();
    }
    this.latest.set(key, value);
  }
}
