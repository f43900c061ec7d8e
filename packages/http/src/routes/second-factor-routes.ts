import {
  emptyResponse,
  enrolledFactorResponse,
  factorStateResponse,
  factorTokenRequest,
  secondFactorParameters,
} from "@sallyport/contract";
import type { FactorState, SessionContext } from "@sallyport/core";
import { defineRoute, type Route } from "./route.ts";
import type { UseCases } from "./use-cases.ts";

const path = "/v1/2fa/secret";

const statuses: Readonly<Record<FactorState["rule"], number>> = { unavailable: 0, off: 1, optional: 2, forced: 3 };

/** Second-factor routes of the caller. Multi requests exclude them, because attempts are counted one by one. */
export function secondFactorRoutes(useCases: UseCases): Route[] {
  const { readSecondFactor, enrolSecondFactor, confirmSecondFactor, removeSecondFactor, validateSecondFactor } =
    useCases;
  return [
    defineRoute({
      method: "GET",
      path,
      excludedFromMulti: true,
      whileEnrolling: true,
      operation: "readSecondFactor",
      summary: "Tells how it stands with the user's second factor for an app name.",
      access: "session",
      query: secondFactorParameters,
      data: factorStateResponse,
      errors: [208, 209],
      handle: async (context, { query }) => {
        const { enrolled, confirmed, rule } = await readSecondFactor.readSecondFactor(context, query.app);
        return { data: { isActivated: enrolled, isConfirmed: confirmed, "2faStatus": statuses[rule] } };
      },
    }),
    defineRoute({
      method: "POST",
      path,
      excludedFromMulti: true,
      whileEnrolling: true,
      operation: "enrolSecondFactor",
      summary: "Begins a second factor: gives its secret and its recovery codes, which cannot be shown again.",
      description:
        "It asks for nothing before it is confirmed, and can be begun anew until then. 307 if the app name has no second factors, or the user's is confirmed.",
      access: "session",
      query: secondFactorParameters,
      data: enrolledFactorResponse,
      errors: [208, 209, 307],
      handle: async (context, { query }) => {
        const { secret, address, recoveryCodes } = await enrolSecondFactor.enrolSecondFactor(context, query.app);
        return { data: { secret, otpauthUrl: address, recoveryCodes } };
      },
    }),
    tokenRoute({
      method: "PATCH",
      path,
      whileEnrolling: true,
      operation: "confirmSecondFactor",
      summary: "Confirms a second factor by a token of it. All other sessions of the user end.",
      errors: [208, 209, 304, 341, 342],
      useCase: (context, app, token) => confirmSecondFactor.confirmSecondFactor(context, app, token),
    }),
    tokenRoute({
      method: "DELETE",
      path,
      operation: "removeSecondFactor",
      summary:
        "Switches a second factor off, for a token of it if it is confirmed. 307 where the app name demands one.",
      errors: [208, 209, 304, 307, 341, 342],
      useCase: (context, app, token) => removeSecondFactor.removeSecondFactor(context, app, token),
    }),
    tokenRoute({
      method: "POST",
      path: "/v1/2fa/validate",
      operation: "validateSecondFactor",
      summary: "Succeeds for a token of the user's confirmed second factor, which is spent.",
      errors: [208, 209, 304, 341, 342],
      useCase: (context, app, token) => validateSecondFactor.validateSecondFactor(context, app, token),
    }),
  ];
}

interface TokenRoute extends Pick<Route, "method" | "path" | "operation" | "summary" | "errors" | "whileEnrolling"> {
  readonly useCase: (context: SessionContext, app: string, token: string | null) => Promise<unknown>;
}

/** Route that verifies a second-factor token. Its response has no payload. */
function tokenRoute({ useCase, ...route }: TokenRoute): Route {
  return defineRoute({
    ...route,
    excludedFromMulti: true,
    access: "session",
    query: secondFactorParameters,
    body: { schema: factorTokenRequest.optional(), faultOrder: [], optional: true },
    data: emptyResponse,
    handle: async (context, { query, body }) => {
      await useCase(context, query.app, body?.token ?? null);
      return { data: {} };
    },
  });
}
