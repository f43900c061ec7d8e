import type { passwordOperations } from "@sallyport/contract";
import type { Handlers } from "./route.ts";
import type { UseCases } from "./use-cases.ts";

/** Change and reset of passwords. */
export const passwordHandlers = ({
  changePassword,
  requestPasswordReset,
  confirmReset,
}: UseCases): Handlers<typeof passwordOperations> => ({
  changePassword: async (context, { body, language }) => ({
    data: await changePassword.changePassword(context, {
      oldPassword: body.oldPassword,
      newPassword: body.newPassword,
      encrypted: body.encrypted === true,
      language,
    }),
  }),
  resetPassword: (context, { body, language }) =>
    requestPasswordReset.requestPasswordReset(context, {
      user: body.user,
      custom: body.custom === true,
      language,
    }),
  confirmResetPassword: (context, { body, language }) => confirmReset.confirmReset(context, { ...body, language }),
});
