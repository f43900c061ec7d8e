import * as z from "zod";
import { maxTokenLength, refusedWith } from "./fields.ts";

/** App name of a second factor. */
export const secondFactorParameters = z.object({
  app: z
    .string(refusedWith(209))
    .refine((name) => name.trim() !== "", refusedWith(208))
    .describe("One of the app names of the session."),
});

/** Body with a token of a second factor. */
export const factorTokenRequest = z
  .object({
    token: z
      .string()
      .max(maxTokenLength)
      .optional()
      .describe("Token of the second factor, or a recovery code of a confirmed one. Empty counts as absent."),
  })
  .meta({ id: "FactorToken" });

/** State of a second factor. */
export const factorStateResponse = z
  .object({
    isActivated: z.boolean().describe("Whether a secret was given out."),
    isConfirmed: z.boolean().describe("Whether a token of it was shown, so that log-ins ask for one."),
    "2faStatus": z
      .int()
      .min(0)
      .max(3)
      .describe("What the app name asks for: 0 not available on this server, 1 off, 2 optional, 3 forced."),
  })
  .meta({ id: "FactorState" });

/** Response of a second-factor enrolment. It is sent once. */
export const enrolledFactorResponse = z
  .object({
    secret: z.string().describe("Base32, to be typed into an authenticator: SHA-1, six digits, 30 seconds."),
    otpauthUrl: z.string().describe("The same for a QR code."),
    recoveryCodes: z
      .array(z.string())
      .describe("Each of them takes the place of a token once. They cannot be shown again."),
  })
  .meta({ id: "EnrolledFactor" });
