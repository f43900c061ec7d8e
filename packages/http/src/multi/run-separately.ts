import type { SessionContext } from "@sallyport/core";
import type { JsonText } from "../envelope/json-text.ts";
import { failureOf } from "../envelope/failure.ts";
import type { RouteInput } from "../routes/route.ts";
import type { ItemRecord } from "../server/request-observer.ts";
import { Item, type ItemParts } from "./item.ts";
import { Results } from "./results.ts";

/** Does one item after the other, each as a request of its own: what one of them is refused changes nothing for the others. */
export async function runSeparately(given: readonly unknown[], context: SessionContext, parts: ItemParts, note: RouteInput<unknown, unknown>["note"]): Promise<JsonText> {
  const results = new Results(context.database.answerBytes);
  const records: ItemRecord[] = [];
  let current = context;
  let isModelOld = false;
  for (const each of given) {
    const item = new Item(each);
    try {
      results.requireRoom();
      item.prepare(parts);
      if (isModelOld) current = await withModelOfNow(context);
      isModelOld = item.changesModel;
      await item.run(current, results);
      records.push(item.record());
    } catch (error) {
      const failure = failureOf(error);
      results.fail(failure, parts.settings.debugMessages);
      records.push({ ...item.record(failure), error });
    }
  }
  note(records);
  return results.toJson();
}

/** All items come in by one admission; but what comes behind a change of the model is for the changed one. */
async function withModelOfNow(context: SessionContext): Promise<SessionContext> {
  const { idleTimeout } = context.database.policy.sessions;
  const { modelGeneration } = await context.r.admission.admit({ appKey: null, session: null, idleTimeout });
  return { ...context, modelGeneration };
}
