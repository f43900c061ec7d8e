import type { seatOperations } from "@sallyport/contract";
import type { Handlers } from "./route.ts";
import type { UseCases } from "./use-cases.ts";

/** The licence seats of a session. */
export const seatHandlers = ({ reserveSeats, releaseSeats }: UseCases): Handlers<typeof seatOperations> => ({
  reserveSeats: (context, { body }) =>
    reserveSeats.reserveSeats(context, { appNames: body.appNames, token: body["2faToken"] ?? null }),
  releaseSeats: (context, { body }) => releaseSeats.releaseSeats(context, body.appNames),
});
