import type { seatOperations } from "@sallyport/contract";
import type { Handlers } from "../route.ts";
import { reserveSeats, releaseSeats } from "@sallyport/core";

/** The licence seats of a session. */
export const seatHandlers: Handlers<typeof seatOperations> = {
  reserveSeats: (context, { body }) =>
    reserveSeats(context, { appNames: body.appNames, token: body["2faToken"] ?? null }),
  releaseSeats: (context, { body }) => releaseSeats(context, body.appNames),
};
