import { parseFields } from "@sallyport/contract";
import { parseJsonObject } from "../body/parse-json.ts";
import { queryParameters } from "../routing/query-string.ts";
import type { Step } from "./step.ts";

/** Parses body (311, in a secure session 312) and query string, then their fields by the schemas of the route. */
export const parseInput: Step = (exchange) => {
  const { route } = exchange;
  if (route.body !== undefined) {
    const given = parseJsonObject(exchange.bytes, exchange.channel === null ? 311 : 312);
    const { schema, faultOrder } = route.body.alternative?.(given) ?? route.body;
    exchange.body = parseFields(schema, given, faultOrder);
  } else if (exchange.bytes.length > 0) {
    // What no route asks for must still be a message.
    parseJsonObject(exchange.bytes, 312);
  }
  if (route.query !== undefined) {
    const parameters = Object.fromEntries(queryParameters(exchange.queryString));
    exchange.query = parseFields(route.query, parameters, []);
  }
};
