/** Ends a production that is no longer wanted. */
class Stopped extends Error {}

/**
 * Turns a production around: the consumer asks for each item. `give` resolves when the next item is asked for. If the consumer stops,
 * the `give` that waits throws. A producer gives one item at a time.
 */
export async function* streamed<T>(produce: (give: (item: T) => Promise<void>) => Promise<void>): AsyncGenerator<T> {
  let take: (item: { readonly item: T } | null) => void = () => {};
  let proceed: (continues: boolean) => void = () => {};
  const nextItem = () =>
    new Promise<{ readonly item: T } | null>((resolve) => {
      take = resolve;
    });
  let item = nextItem();
  const production = produce(async (produced) => {
    const continuation = new Promise<boolean>((resolve) => {
      proceed = resolve;
    });
    take({ item: produced });
    if (!(await continuation)) throw new Stopped();
  }).finally(() => take(null));
  production.catch(() => {});
  try {
    for (let next = await item; next !== null; next = await item) {
      yield next.item;
      item = nextItem();
      proceed(true);
    }
  } finally {
    proceed(false);
    // `Kernel.read` rethrows the error of its work unchanged.
    await production.catch((error: unknown) => {
      if (!(error instanceof Stopped)) throw error;
    });
  }
}
