/** Entries of a chunk. A larger one is halved. */
const maxChunk = 128;

interface Chunk<V> {
  readonly keys: readonly string[];
  readonly values: readonly V[];
}

/**
 * An immutable map in the order of its keys by UTF-16 code units. A change returns another map, which shares all but one chunk with this one.
 */
export class OrderedMap<V> {
  private constructor(
    private readonly chunks: readonly Chunk<V>[],
    readonly size: number,
  ) {}

  static empty<V>(): OrderedMap<V> {
    return new OrderedMap<V>([], 0);
  }

  get(key: string): V | undefined {
    const chunk = this.chunks[this.chunkOf(key)];
    if (chunk === undefined) return undefined;
    const place = placeOf(chunk.keys, key);
    return chunk.keys[place] === key ? chunk.values[place] : undefined;
  }

  with(key: string, value: V): OrderedMap<V> {
    const index = this.chunkOf(key);
    const chunk = this.chunks[index] ?? { keys: [], values: [] };
    const place = placeOf(chunk.keys, key);
    if (chunk.keys[place] === key)
      return new OrderedMap(
        this.chunks.with(index, { keys: chunk.keys, values: chunk.values.with(place, value) }),
        this.size,
      );
    const keys = chunk.keys.toSpliced(place, 0, key);
    const values = chunk.values.toSpliced(place, 0, value);
    const half = keys.length > maxChunk ? keys.length / 2 : keys.length;
    const parts = [{ keys: keys.slice(0, half), values: values.slice(0, half) }];
    if (half < keys.length) parts.push({ keys: keys.slice(half), values: values.slice(half) });
    return new OrderedMap(this.chunks.toSpliced(index, 1, ...parts), this.size + 1);
  }

  without(key: string): OrderedMap<V> {
    const index = this.chunkOf(key);
    const chunk = this.chunks[index];
    const place = chunk === undefined ? -1 : placeOf(chunk.keys, key);
    if (chunk?.keys[place] !== key) return this;
    const rest = { keys: chunk.keys.toSpliced(place, 1), values: chunk.values.toSpliced(place, 1) };
    const chunks = rest.keys.length === 0 ? this.chunks.toSpliced(index, 1) : this.chunks.with(index, rest);
    return new OrderedMap(chunks, this.size - 1);
  }

  /** The entries from a key, and before another one. */
  *ascending(from: string | undefined, to: string | undefined): Generator<readonly [string, V]> {
    let [index, place] = this.positionOf(from, "first");
    for (; index < this.chunks.length; index += 1, place = 0) {
      const { keys, values } = this.chunks[index] as Chunk<V>;
      for (; place < keys.length; place += 1) {
        const key = keys[place] as string;
        if (to !== undefined && key >= to) return;
        yield [key, values[place] as V];
      }
    }
  }

  /** The entries before a key, down to another one. */
  *descending(from: string | undefined, to: string | undefined): Generator<readonly [string, V]> {
    let [index, place] = this.positionOf(to, "last");
    for (; index >= 0; index -= 1, place = this.chunks[index]?.keys.length ?? 0) {
      const { keys, values } = this.chunks[index] ?? { keys: [], values: [] };
      for (place -= 1; place >= 0; place -= 1) {
        const key = keys[place] as string;
        if (from !== undefined && key < from) return;
        yield [key, values[place] as V];
      }
    }
  }

  /** The number of entries from a key, and before another one. */
  count(from: string | undefined, to: string | undefined): number {
    const [first, start] = this.positionOf(from, "first");
    const [last, end] = this.positionOf(to, "last");
    if (last < first) return 0;
    let count = end - start;
    for (let index = first; index < last; index += 1) count += (this.chunks[index] as Chunk<V>).keys.length;
    return Math.max(0, count);
  }

  /** The place of the first key that is not below this one. Without a key: the first place, or the one behind the last. */
  private positionOf(key: string | undefined, missing: "first" | "last"): [chunk: number, place: number] {
    if (key !== undefined) {
      const index = this.chunkOf(key);
      return [index, placeOf(this.chunks[index]?.keys ?? [], key)];
    }
    if (missing === "first") return [0, 0];
    const last = Math.max(0, this.chunks.length - 1);
    return [last, this.chunks[last]?.keys.length ?? 0];
  }

  /** The last chunk that does not begin behind the key; the first one if all do. */
  private chunkOf(key: string): number {
    let [low, high] = [0, this.chunks.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (((this.chunks[middle] as Chunk<V>).keys[0] as string) <= key) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** The number of keys below a key. */
function placeOf(keys: readonly string[], key: string): number {
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] as string) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
