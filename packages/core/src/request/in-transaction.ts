import { JoinedUnit } from "./joined-unit.ts";
import type { RequestContext } from "./request-context.ts";
import type { LastingWork } from "./unit-of-work.ts";

/** Does work in one transaction, with the context of that; where one is open already, in that as it is. */
export async function inTransaction<Context extends RequestContext, T>(
  context: Context,
  work: (inside: Context) => Promise<T>,
): Promise<T> {
  if (context.unit.joined) return work(context);
  const { storage } = context.database;
  let lasting: LastingWork[] = [];
  try {
    return await storage.transaction((r, attempt) => {
      // What was asked for by work that runs again is asked for again.
      lasting = [];
      const unit = new JoinedUnit(r, attempt, (each) => lasting.push(each));
      return work({ ...context, r, unit });
    });
  } finally {
    for (const each of lasting) await each(storage.repositories);
  }
}
