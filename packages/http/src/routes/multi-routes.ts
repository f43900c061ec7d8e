import { multiItems, multiParameters, multiRequest, multiResponse } from "@sallyport/contract";
import { runSeparately, runInTransaction } from "../multi/run-items.ts";
import { RouteMatcher } from "../routing/route-matcher.ts";
import { defineRoute, type Route } from "./route.ts";
import type { UseCases } from "./use-cases.ts";

const description = [
  "Each item is processed like a separate request with the headers of this one, except `If-Match`, which is ignored.",
  "An item sees the writes of the items before it. The response contains the result of every item, in order, even if others fail.",
  "With `atomic=true`, all items share one transaction. The first failure rolls it back, and the response has its code.",
  "Items cannot be log-ins, log-outs, keys, the API description or multi requests, or, with `atomic=true`, changes to classes.",
].join(" ");

/** Route of the multi request. */
export function multiRoutes(others: readonly Route[], { objectHooks, executeMacro, executeOnce }: UseCases): Route[] {
  const inside = others.filter(
    ({ excludedFromMulti, changesModel }) => excludedFromMulti !== true && changesModel !== true,
  );
  const route = defineRoute({
    method: "POST",
    path: "/v1/multi",
    operation: "multi",
    summary: "Execute several requests",
    description,
    access: "session",
    compressed: true,
    excludedFromMulti: true,
    idempotent: true,
    body: {
      schema: multiRequest,
      faultOrder: [],
      any: true,
      alternative: () => ({ schema: multiItems, faultOrder: [] }),
    },
    query: multiParameters,
    data: multiResponse,
    errors: [...new Set(inside.flatMap(({ errors }) => errors))],
    handle: async (context, { body, query: { atomic }, settings, note, keyed }) => {
      const run = atomic ? runInTransaction : runSeparately;
      const deadline = performance.now() + settings.multiTimeout;
      const parts = { matcher, objectHooks, executeMacro, executeOnce, settings, atomic, deadline, keyed };
      return { data: await run(body, context, parts, note) };
    },
  });
  const matcher = new RouteMatcher([...others, route]);
  return [route];
}
