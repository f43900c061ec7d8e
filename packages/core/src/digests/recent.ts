/** Remembers what was computed lately, so that it need not be computed for every request. Only for what never changes. */
export class Recent<Key, Value> {
  private latest = new Map<Key, Value>();
  private before = new Map<Key, Value>();

  /** @param most how many are remembered at least; at most twice as many. */
  constructor(private readonly most: number) {}

  get(key: Key): Value | undefined {
    const value = this.latest.get(key);
    if (value !== undefined) return value;
    const older = this.before.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: Key, value: Value): void {
    if (this.latest.size >= this.most) {
      this.before = this.latest;
      this.latest = new Map();
    }
    this.latest.set(key, value);
  }
}
