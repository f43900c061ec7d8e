import type { ObjectHooks } from "../../objects/index.ts";
import { systemPrincipal } from "@sallyport/storage";
import type { PasswordReset } from "../passwords/password-reset.ts";
import { hasAuthenticateHook } from "./authenticate-by-hook.ts";

/** Password resets of custom users. A custom user whose mapped user is missing or disabled is treated as unknown. */
export function customPasswordReset(hooks: ObjectHooks, minLength: number): PasswordReset {
  return {
    realm: "custom",
    event: "customPassword.reset.completed",
    idMember: "customAccountId",
    minLength,
    isPossible: async (context) => !(await hasAuthenticateHook(hooks, { ...context, principal: systemPrincipal })),
    isKeptOut: async (r, { userId }) => {
      const { account } = await r.accounts.find({ id: userId }, []);
      return account === null || account.disabled;
    },
  };
}
