/** Maximum size of a batch. A batch always holds at least one item. */
export interface BatchSize {
  readonly items: number;
  readonly bytes: number;
}

export function* batches<T>(all: Iterable<T>, bytesOf: (item: T) => number, most: BatchSize): Generator<readonly T[]> {
  let batch: T[] = [];
  let left = most.bytes;
  for (const item of all) {
    const needed = bytesOf(item);
    if (batch.length === most.items || (batch.length > 0 && needed > left)) {
      yield batch;
      [batch, left] = [[], most.bytes];
    }
    batch.push(item);
    left -= needed;
  }
  if (batch.length > 0) yield batch;
}
