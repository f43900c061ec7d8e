import * as z from "zod";
import { maxTokenLength, refusedWith } from "./fields.ts";

/** App name of a second factor. */
export const secondFactorParameters = z.object({
  app: z
    .string(refusedWith(209))
    .refine((name) => name.trim() !== "", refusedWith(208))
    .describe("An app name of the session."),
});

/** Body with a token of a second factor. */
export const factorTokenRequest = z
  .object({
    token: z
      .string()
      .max(maxTokenLength)
      .optional()
      .describe("Token of the second factor, or a recovery code if it is confirmed. An empty string counts as absent."),
  })
  .meta({ id: "FactorToken" });

/** State of a second factor. */
export const factorStateResponse = z
  .object({
    isActivated: z.boolean().describe("Whether a second factor is enrolled."),
    isConfirmed: z.boolean().describe("Whether it is confirmed by a token. If so, log-ins require a token."),
    "2faStatus": z
      .int()
      .min(0)
      .max(3)
      .describe("Policy of the app name: 0 not available on this server, 1 off, 2 optional, 3 forced."),
  })
  .meta({ id: "FactorState" });

/** Response of a second-factor enrolment. It is sent once. */
export const enrolledFactorResponse = z
  .object({
    secret: z.string().describe("TOTP secret as base32 for an authenticator app: SHA-1, six digits, 30 seconds."),
    otpauthUrl: z.string().describe("The secret as an `otpauth` URL for a QR code."),
    recoveryCodes: z
      .array(z.string())
      .describe("Recovery codes. Each replaces a token once. They cannot be shown again."),
  })
  .meta({ id: "EnrolledFactor" });
