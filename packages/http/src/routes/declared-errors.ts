import type { ErrorCode } from "@sallyport/core";
import { needsBody } from "./needs-body.ts";
import type { Access, Route } from "./route.ts";
import { takesSession } from "./takes-session.ts";

const anyRoute: readonly ErrorCode[] = [304, 305, 307, 607, 699, 704, 705, 706, 799];

const byAccess: Readonly<Record<Access, readonly ErrorCode[]>> = {
  public: [],
  returning: [],
  appKey: [100, 101],
  secrets: [100, 101],
  session: [100, 101, 200, 201, 202, 203, 204, 207, 312, 314, 340, 801],
  optional: [100, 101, 201, 203, 207, 312, 314, 340, 801],
};

const withBody: readonly ErrorCode[] = [207, 311, 801];

const withForm: readonly ErrorCode[] = [207, 801];

const neededBody: readonly ErrorCode[] = [300];

const encryptedBody: readonly ErrorCode[] = [312];

/** Every code that a route can answer: its own and those of the steps before it, ascending. */
export function declaredErrors(route: Route): ErrorCode[] {
  const body =
    route.body === undefined
      ? []
      : [
          ...(route.body.form === undefined ? withBody : withForm),
          ...(needsBody(route) ? neededBody : []),
          ...(takesSession(route) ? encryptedBody : []),
        ];
  const codes = [...anyRoute, ...byAccess[route.access], ...body, ...route.errors];
  return [...new Set(codes)].toSorted((a, b) => a - b);
}
