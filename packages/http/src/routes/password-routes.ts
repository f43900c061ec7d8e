import {
  changePasswordFaultOrder,
  changePasswordRequest,
  changePasswordResponse,
  confirmResetPasswordFaultOrder,
  confirmResetPasswordRequest,
  emptyResponse,
  encryptedChangePasswordRequest,
  isEncryptedChange,
  resetPasswordRequest,
} from "@sallyport/contract";
import * as z from "zod";
import { defineRoute, type Route } from "./route.ts";
import type { UseCases } from "./use-cases.ts";

/** Routes that change and reset passwords. */
export function passwordRoutes({ changePassword, requestPasswordReset, confirmReset }: UseCases): Route[] {
  return [
    defineRoute({
      method: "POST",
      path: "/v1/changePassword",
      excludedFromMulti: true,
      operation: "changePassword",
      summary: "Change the password",
      access: "session",
      body: {
        schema: z.union([changePasswordRequest, encryptedChangePasswordRequest]),
        faultOrder: changePasswordFaultOrder,
        alternative: (body) => ({
          schema: isEncryptedChange(body) ? encryptedChangePasswordRequest : changePasswordRequest,
          faultOrder: changePasswordFaultOrder,
        }),
      },
      data: changePasswordResponse,
      description: [
        "Changes the password that opened the session, and ends all other sessions of the user. A wrong old password counts as a failed log-in.",
        "With `encrypted: true`, both passwords are encrypted with the key of `/v2/login/secure/key` and any of its paddings. A password that cannot be decrypted fails with 319 or 320. The same ciphertext is accepted only in the same session, at most three times within a minute.",
        "Custom users receive a code by mail and confirm the new password with `POST /v1/auth/df/confirmChangePassword`. Without an e-mail address or without mail, the request fails with 712.",
      ].join(" "),
      errors: [319, 320, 321, 322, 339, 712],
      handle: async (context, { body, language }) => ({
        data: await changePassword.changePassword(context, {
          oldPassword: body.oldPassword,
          newPassword: body.newPassword,
          encrypted: body.encrypted === true,
          language,
        }),
      }),
    }),
    defineRoute({
      method: "POST",
      path: "/v1/resetPassword",
      excludedFromMulti: true,
      operation: "resetPassword",
      summary: "Request a password reset",
      access: "appKey",
      body: { schema: resetPasswordRequest, faultOrder: [325] },
      data: emptyResponse,
      description: [
        "Sends the user a mail with a token to set a new password. The response is the same for unknown users and users without an e-mail address. A user receives at most one mail per minute, and fewer with repeated requests.",
        "Fails with 712 if the server cannot send mail. For custom users, it also fails with 712 if a hook authenticates them.",
      ].join(" "),
      errors: [325, 712],
      handle: async (context, { body, language }) => {
        await requestPasswordReset.requestPasswordReset(context, {
          user: body.user,
          custom: body.custom === true,
          language,
        });
        return { data: {} };
      },
    }),
    defineRoute({
      method: "POST",
      path: "/v1/confirmResetPassword",
      excludedFromMulti: true,
      operation: "confirmResetPassword",
      summary: "Confirm a password reset",
      access: "secrets",
      body: { schema: confirmResetPasswordRequest, faultOrder: confirmResetPasswordFaultOrder },
      data: emptyResponse,
      description:
        "Sets a new password with the mailed token, and ends all sessions of the user. The token is valid once, for 30 minutes. A refused new password does not use it up.",
      errors: [320, 328],
      handle: async (context, { body, language }) => {
        await confirmReset.confirmReset(context, { ...body, language });
        return { data: {} };
      },
    }),
  ];
}
