/** Maximum size of a batch. A batch always contains at least one item. */
export interface BatchSize {
  readonly items: number;
  readonly bytes: number;
}

export function* batches<T>(
  all: Iterable<T>,
  bytesOf: (item: T) => number,
  limits: BatchSize,
): Generator<readonly T[]> {
  let batch: T[] = [];
  let left = limits.bytes;
  for (const item of all) {
    const needed = bytesOf(item);
    if (batch.length === limits.items || (batch.length > 0 && needed > left)) {
      yield batch;
      [batch, left] = [[], limits.bytes];
    }
    batch.push(item);
    left -= needed;
  }
  if (batch.length > 0) yield batch;
}
