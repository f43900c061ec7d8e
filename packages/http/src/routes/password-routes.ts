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
      summary: "Changes the password that the session was opened with. All other sessions of the user end.",
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
        "A wrong old password counts as a failed log-in. With `encrypted: true` both are encrypted with the key of `/v2/login/secure/key`, in any of its paddings;",
        "what cannot be decrypted is 319 or 320, and the same encrypted text is taken in the same session only, at most three times within a minute.",
        "Custom users are mailed a code, with which `POST /v1/auth/df/confirmChangePassword` makes the new password the current one; without an address, or without mail: 712.",
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
      summary: "Mails the user a link and a token with which a new password can be set.",
      access: "appKey",
      body: { schema: resetPasswordRequest, faultOrder: [325] },
      data: emptyResponse,
      description: [
        "The answer is the same whether there is such a user or not, and whether he has an address or not. A user is written to once a minute at most, and more rarely the more is asked for.",
        "Where a hook decides who custom users are, 712 for all of them.",
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
      summary: "Sets a new password by the token of a mail. All sessions of the user end.",
      access: "secrets",
      body: { schema: confirmResetPasswordRequest, faultOrder: confirmResetPasswordFaultOrder },
      data: emptyResponse,
      description: "The token is good once, for 30 minutes. A new password that is refused does not spend it.",
      errors: [320, 328],
      handle: async (context, { body, language }) => {
        await confirmReset.confirmReset(context, { ...body, language });
        return { data: {} };
      },
    }),
  ];
}
