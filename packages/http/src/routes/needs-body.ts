import type { Route } from "./route.ts";

/** Whether a route cannot do without a body. */
export function needsBody({ body }: Pick<Route, "body">): boolean {
  return body !== undefined && body.optional !== true;
}
