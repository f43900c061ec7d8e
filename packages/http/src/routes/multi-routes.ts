import { multiItems, multiParameters, multiRequest, multiResponse } from "@sallyport/contract";
import { runSeparately, runInTransaction } from "../multi/run-items.ts";
import { RouteMatcher } from "../routing/route-matcher.ts";
import { defineRoute, type Route } from "./route.ts";
import type { UseCases } from "./use-cases.ts";

const description = [
  "Every item is judged like a request of its own with the headers of this one; `If-Match` counts for none of them.",
  "Each item sees what those before it have written, and the answer has the result of each in its place, whatever became of the others.",
  "With `atomic=true` they share one transaction: the first that fails undoes all of them, and its code is the answer.",
  "Not inside: log-in, log-out, keys, this description, another multi request, and with `atomic=true` changes of the model.",
].join(" ");

/** Route of the multi request. */
export function multiRoutes(others: readonly Route[], { objectHooks: hooks, executeMacro: macros }: UseCases): Route[] {
  const inside = others.filter(
    ({ excludedFromMulti, changesModel }) => excludedFromMulti !== true && changesModel !== true,
  );
  const route = defineRoute({
    method: "POST",
    path: "/v1/multi",
    operation: "multi",
    summary: "Does up to 50 requests in one.",
    description,
    access: "session",
    excludedFromMulti: true,
    body: {
      schema: multiRequest,
      faultOrder: [],
      any: true,
      alternative: () => ({ schema: multiItems, faultOrder: [] }),
    },
    query: multiParameters,
    data: multiResponse,
    errors: [...new Set(inside.flatMap(({ errors }) => errors))],
    handle: async (context, { body, query: { atomic }, settings, note }) => {
      const run = atomic ? runInTransaction : runSeparately;
      const deadline = performance.now() + settings.multiTimeout;
      return { data: await run(body, context, { matcher, hooks, macros, settings, atomic, deadline }, note) };
    },
  });
  const matcher = new RouteMatcher([...others, route]);
  return [route];
}
