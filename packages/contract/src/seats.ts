import type { ErrorCode } from "@sallyport/storage/errors";
import * as z from "zod";
import { appNames, secondFactorTokens } from "./fields.ts";
import { operations } from "./operations.ts";

/** Body of `POST /v1/license/reserve`. */
export const reserveSeatsRequest = z
  .object({ appNames, "2faToken": secondFactorTokens })
  .meta({ id: "ReserveSeatsRequest" });

/** Body of `POST /v1/license/release`. */
export const releaseSeatsRequest = z.object({ appNames }).meta({ id: "ReleaseSeatsRequest" });

/** Precedence of the error codes of these bodies. */
export const seatsFaultOrder: readonly ErrorCode[] = [209, 208, 210];

/** The licence seats of a session. */
export const seatOperations = operations("Seats", {
  reserveSeats: {
    method: "POST",
    path: "/v1/license/reserve",
    access: "session",
    idempotent: true,
    apart: "session",
    summary: "Reserve seats",
    description: [
      "Takes a seat of each app name until the session ends or releases it. Either all app names are reserved or none. An app name that the session has already needs no seat and no token.",
      "The checks are those of a log-in, and a wrong token counts as a failed log-in. A reserved app name gives no rights.",
    ].join(" "),
    body: { json: reserveSeatsRequest, order: seatsFaultOrder },
    errors: [208, 209, 210, 306, 318, 340, 341, 342, 403, 711],
  },
  releaseSeats: {
    method: "POST",
    path: "/v1/license/release",
    access: "session",
    apart: "session",
    summary: "Release seats",
    description:
      "Frees the seat of each app name, and removes the app names from the session. They can be app names of the log-in. Either all app names are released or none.",
    body: { json: releaseSeatsRequest, order: seatsFaultOrder },
    errors: [208, 209, 210, 323, 711],
  },
});
