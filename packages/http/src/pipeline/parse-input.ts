import { parseFields } from "@sallyport/contract";
import { parseJsonObject } from "../body/parse-json.ts";
import { queryParameters } from "../routing/query-string.ts";
import type { Step } from "./step.ts";

/** Parses body (311) and query string, then their fields by the schemas of the route. */
export const parseInput: Step = (exchange) => {
  const { route } = exchange;
  if (route.body !== undefined) {
    exchange.body = parseFields(route.body.schema, parseJsonObject(exchange.bytes), route.body.faultOrder);
  }
  if (route.query !== undefined) {
    const parameters = Object.fromEntries(queryParameters(exchange.queryString));
    exchange.query = parseFields(route.query, parameters, []);
  }
};
