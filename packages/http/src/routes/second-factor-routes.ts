import {
  emptyResponse,
  enrolledFactorResponse,
  factorStateResponse,
  factorTokenRequest,
  secondFactorParameters,
} from "@sallyport/contract";
import type { FactorState } from "@sallyport/core";
import type { z } from "zod";
import { type BodyRule, defineRoute, type Route } from "./route.ts";
import type { UseCases } from "./use-cases.ts";

const path = "/v1/2fa/secret";

const token = factorTokenRequest.optional();

const tokenBody: BodyRule<typeof token> = { schema: token, faultOrder: [], optional: true };

const statuses: Readonly<Record<FactorState["rule"], number>> = { unavailable: 0, off: 1, optional: 2, forced: 3 };

/** Second factors of whoever is logged in. None of them is part of a batch: guesses are counted one by one. */
export function secondFactorRoutes(useCases: UseCases): Route[] {
  const { readSecondFactor, enrolSecondFactor, confirmSecondFactor, removeSecondFactor, validateSecondFactor } =
    useCases;
  return [
    defineRoute({
      method: "GET",
      path,
      standsAlone: true,
      whileEnrolling: true,
      operation: "readSecondFactor",
      summary: "Tells how it stands with the user's second factor for an app name.",
      access: "session",
      query: secondFactorParameters,
      data: factorStateResponse,
      errors: [208, 209],
      handle: async (context, { query }) => {
        const { enrolled, confirmed, rule } = await readSecondFactor.run(context, query.app);
        return { data: { isActivated: enrolled, isConfirmed: confirmed, "2faStatus": statuses[rule] } };
      },
    }),
    defineRoute({
      method: "POST",
      path,
      standsAlone: true,
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
        const { secret, address, recoveryCodes } = await enrolSecondFactor.run(context, query.app);
        return { data: { secret, otpauthUrl: address, recoveryCodes } };
      },
    }),
    defineRoute({
      method: "PATCH",
      path,
      standsAlone: true,
      whileEnrolling: true,
      operation: "confirmSecondFactor",
      summary: "Confirms a second factor by a token of it. All other sessions of the user end.",
      access: "session",
      query: secondFactorParameters,
      body: tokenBody,
      data: emptyResponse,
      errors: [208, 209, 304, 341, 342],
      handle: async (context, { query, body }) => {
        await confirmSecondFactor.run(context, query.app, tokenOf(body));
        return { data: {} };
      },
    }),
    defineRoute({
      method: "DELETE",
      path,
      standsAlone: true,
      operation: "removeSecondFactor",
      summary:
        "Switches a second factor off, for a token of it if it is confirmed. 307 where the app name demands one.",
      access: "session",
      query: secondFactorParameters,
      body: tokenBody,
      data: emptyResponse,
      errors: [208, 209, 304, 307, 341, 342],
      handle: async (context, { query, body }) => {
        await removeSecondFactor.run(context, query.app, tokenOf(body));
        return { data: {} };
      },
    }),
    defineRoute({
      method: "POST",
      path: "/v1/2fa/validate",
      standsAlone: true,
      operation: "validateSecondFactor",
      summary: "Succeeds for a token of the user's confirmed second factor, which is spent.",
      access: "session",
      query: secondFactorParameters,
      body: tokenBody,
      data: emptyResponse,
      errors: [208, 209, 304, 341, 342],
      handle: async (context, { query, body }) => {
        await validateSecondFactor.run(context, query.app, tokenOf(body));
        return { data: {} };
      },
    }),
  ];
}

function tokenOf(body: z.output<typeof token>): string | null {
  return body?.token ?? null;
}
