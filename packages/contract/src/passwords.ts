import type { ErrorCode } from "@sallyport/storage/errors";
import * as z from "zod";
import { refusedWith } from "./fields.ts";
import { eitherBody, operations } from "./operations.ts";

const maxPasswordLength = 1_024;
const maxNameLength = 1_024;
const maxResetTokenLength = 1_024;

/** Characters: base64 of the maximum number of blocks with the largest key. */
const maxCipherTextLength = 16 * 4 * Math.ceil(512 / 3);

/** A text that is present, not blank and within the length limit. Each violation has the same code. */
function boundedText(code: ErrorCode, maxLength: number) {
  return z
    .string(refusedWith(code))
    .max(maxLength, refusedWith(code))
    .refine((text) => text.trim() !== "", refusedWith(code));
}

const newPassword = boundedText(320, maxPasswordLength).describe(
  "Same form as `pass` of a log-in. A plain password must have at least 8 characters.",
);

const encrypted = z.boolean(refusedWith(322));

/** Body of `POST /v1/changePassword`. */
export const changePasswordRequest = z
  .object({
    oldPassword: boundedText(319, maxPasswordLength).describe("Same form as `pass` of a log-in."),
    newPassword,
    encrypted: encrypted.optional(),
  })
  .meta({ id: "ChangePasswordRequest" });

const cipherText = "Base64 of the password, encrypted block by block with the RSA key of the server.";

/** Encrypted body of `POST /v1/changePassword`. */
export const encryptedChangePasswordRequest = z
  .object({
    oldPassword: boundedText(319, maxCipherTextLength).describe(cipherText),
    newPassword: boundedText(320, maxCipherTextLength).describe(cipherText),
    encrypted: encrypted.describe("`true`."),
  })
  .meta({ id: "EncryptedChangePasswordRequest" });

/** Precedence of the error codes of these bodies. */
export const changePasswordFaultOrder: readonly ErrorCode[] = [322, 319, 320];

/** Whether a body is encrypted. */
export function isEncryptedChange(body: Readonly<Record<string, unknown>>): boolean {
  return body["encrypted"] === true;
}

/** Body of `POST /v1/resetPassword`. */
export const resetPasswordRequest = z
  .object({
    user: boundedText(325, maxNameLength).describe("User name, case-sensitive."),
    custom: z
      .boolean()
      .optional()
      .describe("`true` for a custom user, who logs in at `/v1/auth/df`. Defaults to a database user."),
  })
  .meta({ id: "ResetPasswordRequest" });

/** Body of `POST /v1/confirmResetPassword`. */
export const confirmResetPasswordRequest = z
  .object({
    resetPasswordToken: boundedText(328, maxResetTokenLength).describe("Token from the mail."),
    newPassword,
  })
  .meta({ id: "ConfirmResetPasswordRequest" });

/** Precedence of the error codes of this body. */
export const confirmResetPasswordFaultOrder: readonly ErrorCode[] = [328, 320];

const maxCodeLength = 100;

/** Body of `POST /v1/auth/df/confirmChangePassword`. */
export const confirmChangePasswordRequest = z
  .object({
    confirmationCode: boundedText(326, maxCodeLength).describe("Code from the mail. Case and the hyphen are ignored."),
  })
  .meta({ id: "ConfirmChangePasswordRequest" });

/** `data` of a password change. */
export const changePasswordResponse = z
  .object({
    confirmationRequired: z
      .literal(true)
      .optional()
      .describe("`true` for custom users: the change takes effect after confirmation with the mailed code."),
  })
  .meta({ id: "ChangePasswordResponse" });

/** Change and reset of passwords. */
export const passwordOperations = operations("Passwords", {
  changePassword: {
    method: "POST",
    path: "/v1/changePassword",
    access: "session",
    inMulti: false,
    summary: "Change the password",
    description: [
      "Changes the password that opened the session, and ends all other sessions of the user. A wrong old password counts as a failed log-in.",
      "With `encrypted: true`, both passwords are encrypted with the key of `/v2/login/secure/key` and any of its paddings. A password that cannot be decrypted fails with 319 or 320. The same ciphertext is accepted only in the same session, at most three times within a minute.",
      "Custom users receive a code by mail and confirm the new password with `POST /v1/auth/df/confirmChangePassword`. Without an e-mail address or without mail, the request fails with 712.",
    ].join(" "),
    body: eitherBody(
      { json: changePasswordRequest, order: changePasswordFaultOrder },
      { json: encryptedChangePasswordRequest, order: changePasswordFaultOrder },
      isEncryptedChange,
    ),
    data: changePasswordResponse,
    errors: [319, 320, 321, 322, 339, 712],
  },
  resetPassword: {
    method: "POST",
    path: "/v1/resetPassword",
    access: "appKey",
    inMulti: false,
    summary: "Request a password reset",
    description: [
      "Sends the user a mail with a token to set a new password. The response is the same for unknown users and users without an e-mail address. A user receives at most one mail per minute, and fewer with repeated requests.",
      "Fails with 712 if the server cannot send mail. For custom users, it also fails with 712 if a hook authenticates them.",
    ].join(" "),
    body: { json: resetPasswordRequest, order: [325] },
    errors: [325, 712],
  },
  confirmResetPassword: {
    method: "POST",
    path: "/v1/confirmResetPassword",
    access: "secrets",
    summary: "Confirm a password reset",
    description:
      "Sets a new password with the mailed token, and ends all sessions of the user. The token is valid once, for 30 minutes. A refused new password does not use it up.",
    body: { json: confirmResetPasswordRequest, order: confirmResetPasswordFaultOrder },
    errors: [320, 328],
  },
});
