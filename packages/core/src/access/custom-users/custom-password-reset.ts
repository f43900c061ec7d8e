import type { ObjectHooks } from "../../objects/index.ts";
import { unattendedPrincipal } from "../../storage/index.ts";
import type { PasswordReset } from "../passwords/password-reset.ts";
import { isAskedElsewhere } from "./ask-authenticator.ts";

/** Password resets of custom users. A custom user whose mapped user is missing or disabled is treated as unknown. */
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
