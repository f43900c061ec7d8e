/** Asks for each item, and gives the answers in their order; so many are asked for while one is worked on. */
export async function* readAhead<Item, Answer>(
  items: AsyncIterable<Item>,
  most: number,
  ask: (item: Item) => Promise<Answer>,
): AsyncGenerator<Answer> {
  const underWay: Promise<Answer>[] = [];
  for await (const item of items) {
    const answer = ask(item);
    // Whoever stops early does not await it.
    answer.catch(() => {});
    underWay.push(answer);
    if (underWay.length > most) yield await (underWay.shift() as Promise<Answer>);
  }
  for (const answer of underWay) yield await answer;
}
