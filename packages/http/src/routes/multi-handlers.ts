import type { databaseOperations } from "@sallyport/contract";
import { runInTransaction, runSeparately } from "../multi/run-items.ts";
import type { RouteMatcher } from "../routing/route-matcher.ts";
import type { Handlers } from "../route.ts";

/** The multi request. `matcher` finds the routes of the items. */
export const multiHandlers = (matcher: () => RouteMatcher): Handlers<(typeof databaseOperations)["multi"]> => ({
  multi: async (context, { body, query: { atomic }, settings, note, keyed }) => {
    const run = atomic ? runInTransaction : runSeparately;
    const deadline = performance.now() + settings.multiTimeout;
    const parts = { matcher: matcher(), settings, atomic, deadline, keyed };
    return { data: await run(body, context, parts, note) };
  },
});
