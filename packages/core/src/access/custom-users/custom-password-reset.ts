import { systemPrincipal } from "@sallyport/storage";
import { ownPasswordReset, type PasswordReset } from "../passwords/password-reset.ts";
import { hasAuthenticateHook } from "./authenticate-by-hook.ts";

/** Password resets of custom users. A custom user whose mapped user is missing or disabled is treated as unknown. */
const customPasswordReset: PasswordReset = {
  realm: "custom",
  event: "customPassword.reset.completed",
  idMember: "customAccountId",
  isPossible: async (context) => !(await hasAuthenticateHook({ ...context, principal: systemPrincipal })),
  isKeptOut: async (r, { userId }) => {
    const { account } = await r.accounts.find({ id: userId }, []);
    return account === null || account.disabled;
  },
};

export const resetsByRealm = { database: ownPasswordReset, custom: customPasswordReset } as const;
