import { parseFields } from "@sallyport/contract";
import { ServiceError } from "@sallyport/core";
import type { BodyRule } from "../routes/route.ts";

/** What a body says by the rule of its route, if it has one; `undefined` stands for no body. 307 for what the rule does not take. */
export function parseBody(rule: BodyRule | undefined, given: unknown): unknown {
  const isObject = typeof given === "object" && given !== null && !Array.isArray(given);
  if (given !== undefined && !isObject && rule?.any !== true)
    throw new ServiceError(307, { detail: "The body is not an object." });
  if (rule === undefined) return undefined;
  const { schema, faultOrder } =
    (given === undefined ? undefined : rule.alternative?.(given as Record<string, unknown>)) ?? rule;
  return parseFields(schema, given, faultOrder);
}
