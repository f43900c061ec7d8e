/**
 * Does work for each item, for some of them at a time, and returns the results in the order of the items. `isStopped` is
 * asked before each item: those that are left then have no result.
 */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  { width, isStopped = () => false }: { readonly width: number; isStopped?(): boolean },
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  let next = 0;
  const worker = async () => {
    while (next < items.length && !isStopped()) {
      const place = next;
      next += 1;
      results[place] = await work(items[place] as Item);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  return results;
}
