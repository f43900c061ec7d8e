import type { ErrorCode } from "@sallyport/core";
import { type Access, needsBody, type Route } from "./route.ts";

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

/** Whether a route can be called in a session, and so in a secure one. */
export function takesSession({ access }: Pick<Route, "access">): boolean {
  return access === "session" || access === "optional";
}
