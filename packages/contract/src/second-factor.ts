import * as z from "zod";
import { maxTokenLength, refusedWith } from "./fields.ts";
import { operations } from "./operations.ts";

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

const path = "/v1/2fa/secret";

/** Verification of a token. */
const verification = {
  access: "session",
  inMulti: false,
  query: secondFactorParameters,
  body: { json: factorTokenRequest.optional(), optional: true },
} as const;

/** The second factor of the caller. Multi requests exclude it, because attempts are counted one by one. */
export const secondFactorOperations = operations("Second factors", {
  readSecondFactor: {
    method: "GET",
    path,
    access: "session",
    enrolling: true,
    inMulti: false,
    summary: "Get the state of the second factor",
    query: secondFactorParameters,
    data: factorStateResponse,
    errors: [208, 209],
  },
  enrolSecondFactor: {
    method: "POST",
    path,
    access: "session",
    enrolling: true,
    inMulti: false,
    summary: "Enrol a second factor",
    description:
      "Returns a new secret and recovery codes, which cannot be shown again. Log-ins require no token until the second factor is confirmed. Until then, it can be enrolled again. Fails with 307 if second factors are disabled for the app name, or if the second factor is confirmed.",
    query: secondFactorParameters,
    data: enrolledFactorResponse,
    errors: [208, 209, 307],
  },
  confirmSecondFactor: {
    method: "PATCH",
    path,
    ...verification,
    enrolling: true,
    summary: "Confirm the second factor",
    description: "Requires a token of the second factor. Ends all other sessions of the user.",
    errors: [208, 209, 304, 341, 342],
  },
  removeSecondFactor: {
    method: "DELETE",
    path,
    ...verification,
    summary: "Disable the second factor",
    description:
      "A confirmed second factor requires a token. An unconfirmed one requires none. Fails with 307 if the app name requires a second factor.",
    errors: [208, 209, 304, 307, 341, 342],
  },
  validateSecondFactor: {
    method: "POST",
    path: "/v1/2fa/validate",
    ...verification,
    summary: "Validate the second factor",
    description: "Succeeds for a valid token of the confirmed second factor, and uses it up.",
    errors: [208, 209, 304, 341, 342],
  },
});
