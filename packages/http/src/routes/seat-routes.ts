import { emptyResponse, releaseSeatsRequest, reserveSeatsRequest, seatsFaultOrder } from "@sallyport/contract";
import { defineRoute, type Route } from "./route.ts";
import type { UseCases } from "./use-cases.ts";

/** Routes of the licence seats of a session. */
export function seatRoutes({ reserveSeats, releaseSeats }: UseCases): Route[] {
  return [
    defineRoute({
      method: "POST",
      path: "/v1/license/reserve",
      operation: "reserveSeats",
      summary: "Reserve seats",
      description: [
        "Takes a seat of each app name until the session ends or releases it. Either all app names are reserved or none. An app name that the session has already needs no seat and no token.",
        "The checks are those of a log-in, and a wrong token counts as a failed log-in. A reserved app name gives no rights.",
      ].join(" "),
      access: "session",
      idempotent: true,
      apart: "session",
      body: { schema: reserveSeatsRequest, faultOrder: seatsFaultOrder },
      data: emptyResponse,
      errors: [208, 209, 210, 306, 318, 340, 341, 342, 403, 711],
      handle: async (context, { body }) => {
        await reserveSeats.reserveSeats(context, { appNames: body.appNames, token: body["2faToken"] ?? null });
        return { data: {} };
      },
    }),
    defineRoute({
      method: "POST",
      path: "/v1/license/release",
      operation: "releaseSeats",
      summary: "Release seats",
      description:
        "Frees the seat of each app name, and removes the app names from the session. They can be app names of the log-in. Either all app names are released or none.",
      access: "session",
      apart: "session",
      body: { schema: releaseSeatsRequest, faultOrder: seatsFaultOrder },
      data: emptyResponse,
      errors: [208, 209, 210, 323, 711],
      handle: async (context, { body }) => {
        await releaseSeats.releaseSeats(context, body.appNames);
        return { data: {} };
      },
    }),
  ];
}
