import { inTransaction, ServiceError, type SessionContext } from "@sallyport/core";
import { failureOf } from "../envelope/failure.ts";
import type { JsonText } from "../envelope/json-text.ts";
import type { RouteInput } from "../routes/route.ts";
import { Item, type ItemParts } from "./item.ts";
import { Results } from "./results.ts";

/**
 * Does all items in one transaction, in their order; the first that fails undoes the others, and the request fails with its code.
 * What can be refused by looking at the items is refused before the transaction begins.
 */
export async function runTogether(
  given: readonly unknown[],
  context: SessionContext,
  parts: ItemParts,
  note: RouteInput<unknown, unknown>["note"],
): Promise<JsonText> {
  const items = given.map((each) => new Item(each, parts));
  let current: number | null = null;
  const inTurn = async (work: (item: Item) => void | Promise<void>): Promise<void> => {
    for (const [index, item] of items.entries()) {
      current = index;
      await work(item);
    }
    current = null;
  };
  const doAll = (inside: SessionContext): Promise<JsonText> =>
    inTransaction(inside, async (joined) => {
      const results = new Results(context.database.answerBytes, parts.deadline);
      await inTurn(async (item) => {
        if (results.hindrance !== null) throw results.hindrance;
        results.succeed(await item.run(joined), item);
      });
      return results.toJson();
    });
  try {
    await inTurn((item) => item.requirePrepared());
    const data = await (await preparation(items, context, parts))(context, doAll);
    note(items.map((item) => item.record()));
    return data;
  } catch (error) {
    const failure = failureOf(error);
    note(items.map((item) => ({ ...item.record(), status: failure.status, code: failure.code })));
    throw current === null ? error : failureAt(current, failure);
  }
}

type Prepared = (context: SessionContext, work: (context: SessionContext) => Promise<JsonText>) => Promise<JsonText>;

/** Nobody is to wait for a place for his macros and hooks while he holds a connection. */
async function preparation(
  items: readonly Item[],
  context: SessionContext,
  { hooks, macros }: ItemParts,
): Promise<Prepared> {
  const active = await hooks.current(context);
  if (active !== null) return (given, work) => active.prepared(given, work);
  if (items.some((item) => item.executesMacro)) return (given, work) => macros.prepared(given, work);
  return (given, work) => work(given);
}

/** Outside of the transaction, which has to see the errors of storage as they are. */
function failureAt(index: number, failure: ServiceError): ServiceError {
  const { code, detail, retryAfter } = failure;
  const place = `at /${index}`;
  return new ServiceError(code, {
    detail: detail === undefined ? place : `${place}: ${detail}`,
    cause: failure,
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
}
