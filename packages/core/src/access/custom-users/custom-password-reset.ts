import type { ObjectHooks } from "../../objects/index.ts";
import { unattendedPrincipal } from "../../storage/index.ts";
import type { PasswordReset } from "../passwords/password-reset.ts";
import { isAskedElsewhere } from "./ask-authenticator.ts";

/** Resets of custom users. Who could not come in with a new password, because the user he is mapped to is kept out, is nobody here. */
export function customPasswordReset(hooks: ObjectHooks, shortest: number): PasswordReset {
  return {
    realm: "custom",
    event: "customPassword.reset",
    idMember: "customAccountId",
    shortest,
    isPossible: async (context) => !(await isAskedElsewhere(hooks, { ...context, principal: unattendedPrincipal })),
    isKeptOut: async (r, { userId }) => {
      const { account } = await r.accounts.find({ id: userId }, []);
      return account === null || account.disabled;
    },
  };
}
