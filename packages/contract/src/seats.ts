import type { ErrorCode } from "@sallyport/storage/errors";
import * as z from "zod";
import { appNames, secondFactorTokens } from "./fields.ts";

/** Body of `POST /v1/license/reserve`. */
export const reserveSeatsRequest = z
  .object({ appNames, "2faToken": secondFactorTokens })
  .meta({ id: "ReserveSeatsRequest" });

/** Body of `POST /v1/license/release`. */
export const releaseSeatsRequest = z.object({ appNames }).meta({ id: "ReleaseSeatsRequest" });

/** Precedence of the error codes of these bodies. */
export const seatsFaultOrder: readonly ErrorCode[] = [209, 208, 210];
