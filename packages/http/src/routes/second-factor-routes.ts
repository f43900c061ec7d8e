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
      summary: "Get the state of the second factor",
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
      summary: "Enrol a second factor",
      description:
        "Returns a new secret and recovery codes, which cannot be shown again. Log-ins require no token until the second factor is confirmed. Until then, it can be enrolled again. Fails with 307 if second factors are disabled for the app name, or if the second factor is confirmed.",
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
      summary: "Confirm the second factor",
      description: "Requires a token of the second factor. Ends all other sessions of the user.",
      errors: [208, 209, 304, 341, 342],
      useCase: (context, app, token) => confirmSecondFactor.confirmSecondFactor(context, app, token),
    }),
    tokenRoute({
      method: "DELETE",
      path,
      operation: "removeSecondFactor",
      summary: "Disable the second factor",
      description:
        "A confirmed second factor requires a token. An unconfirmed one requires none. Fails with 307 if the app name requires a second factor.",
      errors: [208, 209, 304, 307, 341, 342],
      useCase: (context, app, token) => removeSecondFactor.removeSecondFactor(context, app, token),
    }),
    tokenRoute({
      method: "POST",
      path: "/v1/2fa/validate",
      operation: "validateSecondFactor",
      summary: "Validate the second factor",
      description: "Succeeds for a valid token of the confirmed second factor, and uses it up.",
      errors: [208, 209, 304, 341, 342],
      useCase: (context, app, token) => validateSecondFactor.validateSecondFactor(context, app, token),
    }),
  ];
}

interface TokenRoute
  extends Pick<Route, "method" | "path" | "operation" | "summary" | "description" | "errors" | "whileEnrolling"> {
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
