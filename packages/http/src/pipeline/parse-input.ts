import { parseBody } from "../body/parse-body.ts";
import { parseJson } from "../body/parse-json.ts";
import { formFields } from "../routing/query-string.ts";
import { parseQuery } from "../routing/parse-query.ts";
import type { Step } from "./step.ts";

/** Parses body (311, in a secure session 312, a form never) and query string, then their fields by the schemas of the route. */
export const parseInput: Step = (exchange) => {
  const { route, bytes, channel, queryString } = exchange;
  if (route.body?.form !== undefined) {
    exchange.body = parseBody(route.body, Object.fromEntries(formFields(new TextDecoder().decode(bytes))));
    exchange.query = parseQuery(route.query, queryString);
    return;
  }
  // What no route asks for must still be a message.
  const given = bytes.length === 0 ? undefined : parseJson(bytes, channel === null ? 311 : 312);
  exchange.body = parseBody(route.body, given);
  exchange.query = parseQuery(route.query, queryString);
};
