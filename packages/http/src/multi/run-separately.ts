import { AnswerTooLargeError, type SessionContext } from "@sallyport/core";
import { failureOf } from "../envelope/failure.ts";
import type { JsonText } from "../envelope/json-text.ts";
import type { RouteInput, Success } from "../routes/route.ts";
import { inGroups } from "./in-groups.ts";
import { Item, type ItemParts } from "./item.ts";
import { Results } from "./results.ts";

/** Reads that are asked for together, which storage sends in one trip where it can. */
const readsAtOnce = 10;

/**
 * Does the items in their order, each as a request of its own: what one of them is refused changes nothing for the others. Reads in a
 * row are asked for together; not where hooks run in them, which would take more than their share of threads.
 */
export async function runSeparately(
  given: readonly unknown[],
  context: SessionContext,
  parts: ItemParts,
  note: RouteInput<unknown, unknown>["note"],
): Promise<JsonText> {
  const results = new Results(context.database.answerBytes, parts.deadline);
  const items = given.map((each) => new Item(each, parts));
  const atOnce = (await parts.hooks.current(context)) === null ? readsAtOnce : 1;
  let current = context;
  for (const group of inGroups(items, atOnce)) {
    const hindrance = results.hindrance;
    const begun = hindrance === null ? await Promise.allSettled(begin(group, current)) : [];
    for (const [index, item] of group.entries()) {
      try {
        if (hindrance !== null) throw hindrance;
        results.requireRoom();
        results.succeed(await successOf(item, begun[index], current), item);
      } catch (error) {
        item.failed(error);
        results.fail(failureOf(error), parts.settings.debugMessages);
      }
    }
    if (group.some(({ changesModel }) => changesModel)) current = await withModelOfNow(current);
  }
  note(items.map((item) => item.record()));
  return results.toJson();
}

/** Together they take into memory what one answer may take. */
function begin(group: readonly Item[], context: SessionContext): Promise<Success>[] {
  const { database } = context;
  const share =
    group.length === 1
      ? context
      : { ...context, database: database.within(Math.floor(database.answerBytes / group.length)) };
  return group.map((item) => item.run(share));
}

/** What takes more than its share is read again, alone. */
function successOf(
  item: Item,
  begun: PromiseSettledResult<Success> | undefined,
  context: SessionContext,
): Success | Promise<Success> {
  if (begun?.status === "fulfilled") return begun.value;
  if (item.isRead && begun?.reason instanceof AnswerTooLargeError) return item.run(context);
  throw begun?.reason;
}

/** All items come in by one admission; but what comes behind a change of the model is for the changed one. */
async function withModelOfNow(context: SessionContext): Promise<SessionContext> {
  const { idleTimeout } = context.database.policy.sessions;
  try {
    const { modelGeneration } = await context.r.admission.admit({ appKey: null, session: null, idleTimeout });
    return { ...context, modelGeneration };
  } catch {
    // What is done has to be told. Whoever comes next hears for himself what is wrong with the storage.
    return context;
  }
}
