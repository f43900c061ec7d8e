import { JoinedUnit } from "./joined-unit.ts";
import type { RequestContext } from "./request-context.ts";

/** Does work in one transaction, with the context of that; where one is open already, in that as it is. */
export function inTransaction<Context extends RequestContext, T>(context: Context, work: (inside: Context) => Promise<T>): Promise<T> {
  if (context.unit.joined) return work(context);
  return context.database.storage.transaction((r, attempt) => work({ ...context, r, unit: new JoinedUnit(r, attempt) }));
}
