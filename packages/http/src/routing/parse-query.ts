import { parseFields } from "@sallyport/contract";
import type { Route } from "../routes/route.ts";
import { queryParameters } from "./query-string.ts";

/** What a query string says by the schema of its route, if it has one. */
export function parseQuery(schema: Route["query"], queryString: string): unknown {
  return schema === undefined
    ? undefined
    : parseFields(schema, Object.fromEntries(queryParameters(queryString, Object.keys(schema.shape))), []);
}
