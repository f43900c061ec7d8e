/** Ends a production that is no longer wanted. */
class Stopped extends Error {}

/**
 * Turns a production around: the consumer asks for each item, and the producer waits until the one before is taken. If the consumer
 * stops, the producer's next `give` throws.
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
    await production.catch((error: unknown) => {
      if (!(error instanceof Stopped)) throw error;
    });
  }
}
