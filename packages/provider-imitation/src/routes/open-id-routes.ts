import { randomBytes } from "node:crypto";
import type { ImitatedAccount } from "../imitated-account.ts";
import { idToken } from "../tokens/id-token.ts";
import { answer } from "./answer.ts";
import { authorize, type AuthorizationRules } from "./authorize.ts";
import type { Call } from "./call.ts";
import { trade } from "./token.ts";

export interface OpenIdRules extends AuthorizationRules {
  /** Independent of where the imitation listens. */
  readonly issuer: (account: ImitatedAccount) => string;
  readonly claims: (account: ImitatedAccount) => Readonly<Record<string, unknown>>;
}

export const openIdRoutes = (rules: OpenIdRules) => ({
  authorize: (call: Call) => authorize(call, rules),

  token: (call: Call) =>
    trade(call, async ({ account, clientId, nonce }) => {
      const { keys, misbehaviour } = call.imitation;
      const issuer = rules.issuer(account);
      const content = {
        issuer,
        clientId,
        subject: account.subject,
        nonce,
        claims: rules.claims(account),
        now: Math.floor(call.now / 1_000),
      };
      const token = await idToken(keys, content, misbehaviour.idToken);
      return {
        access_token: randomBytes(32).toString("base64url"),
        token_type: "Bearer",
        expires_in: 3_600,
        ...(token === null ? {} : { id_token: token }),
      };
    }),

  keys: async (call: Call) => answer(call, "keys", { ...(await call.imitation.keys.published()) }),
});
