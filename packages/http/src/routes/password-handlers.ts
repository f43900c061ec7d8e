import type { passwordOperations } from "@sallyport/contract";
import type { Handlers } from "../route.ts";
import { changePassword, requestPasswordReset, confirmReset } from "@sallyport/core";

/** Change and reset of passwords. */
export const passwordHandlers: Handlers<typeof passwordOperations> = {
  changePassword: async (context, { body, language }) => ({
    data: await changePassword(context, {
      oldPassword: body.oldPassword,
      newPassword: body.newPassword,
      encrypted: body.encrypted === true,
      language,
    }),
  }),
  resetPassword: (context, { body, language }) =>
    requestPasswordReset(context, {
      user: body.user,
      custom: body.custom === true,
      language,
    }),
  confirmResetPassword: (context, { body, language }) => confirmReset(context, { ...body, language }),
};
