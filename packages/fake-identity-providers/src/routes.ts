import { randomBytes } from "node:crypto";
import type { ProviderType } from "@sallyport/storage";
import { marker } from "./answer.ts";
import { appleIssuer, type AuthorizationRules, authorize, exchangeCode } from "./authorization-code.ts";
import { facebookRoutes } from "./facebook-routes.ts";
import { idToken } from "./id-token.ts";
import type { FakeAccount } from "./fake-account.ts";
import { answer, type Call } from "./fake-provider.ts";

export interface OpenIdRules extends AuthorizationRules {
  /** Independent of the address of the fake provider. */
  readonly issuer: (account: FakeAccount) => string;
  readonly claims: (account: FakeAccount) => Readonly<Record<string, unknown>>;
}

const openIdRoutes = (rules: OpenIdRules) => ({
  authorize: (call: Call) => authorize(call, rules),

  token: (call: Call) =>
    exchangeCode(call, async ({ account, clientId, nonce }) => {
      const { keys, faults } = call.fake;
      const issuer = rules.issuer(account);
      const content = {
        issuer,
        clientId,
        subject: account.subject,
        nonce,
        claims: rules.claims(account),
        now: Math.floor(call.now / 1_000),
      };
      const token = await idToken(keys, content, faults.idToken);
      return {
        access_token: randomBytes(32).toString("base64url"),
        token_type: "Bearer",
        expires_in: 3_600,
        ...(token === null ? {} : { id_token: token }),
      };
    }),

  keys: async (call: Call) => answer(call, "keys", { ...(await call.fake.keys.published()) }),
});

interface Route {
  readonly provider: ProviderType;
  readonly methods: readonly string[];
  /** The path after the provider's base address. A group captures the directory. */
  readonly path: RegExp;
  readonly take: (call: Call) => unknown;
}

const refusal = { error: "access_denied", error_description: marker };

const google = openIdRoutes({
  title: "Google",
  cancelled: refusal,
  requires: ["state", "scope", "nonce", "code_challenge"],
  issuer: () => "https://google.fake.invalid",
  claims: ({ name, surname, email }) => ({
    name: `${name} ${surname}`,
    given_name: name,
    family_name: surname,
    email,
    email_verified: true,
  }),
});

const microsoft = openIdRoutes({
  title: "Microsoft",
  cancelled: refusal,
  requires: ["state", "scope", "nonce", "code_challenge"],
  issuer: ({ directory }) => `https://microsoft.fake.invalid/${directory}/v2.0`,
  claims: ({ name, surname, email, directory }) => ({
    tid: directory,
    name: `${name} ${surname}`,
    given_name: name,
    family_name: surname,
    email,
    ver: "2.0",
  }),
});

const apple = openIdRoutes({
  title: "Apple",
  cancelled: { error: "user_cancelled_authorize" },
  requires: ["state", "scope", "nonce"],
  postsForm: true,
  issuer: () => appleIssuer,
  claims: ({ email }) => ({ email, email_verified: true, nonce_supported: true }),
});

export const routes: readonly Route[] = [
  { provider: "google", methods: ["GET", "POST"], path: /^\/authorize$/, take: google.authorize },
  { provider: "google", methods: ["POST"], path: /^\/token$/, take: google.token },
  { provider: "google", methods: ["GET"], path: /^\/keys$/, take: google.keys },
  {
    provider: "microsoft",
    methods: ["GET", "POST"],
    path: /^\/([\w.-]+)\/oauth2\/v2\.0\/authorize$/,
    take: microsoft.authorize,
  },
  { provider: "microsoft", methods: ["POST"], path: /^\/([\w.-]+)\/oauth2\/v2\.0\/token$/, take: microsoft.token },
  { provider: "microsoft", methods: ["GET"], path: /^\/([\w.-]+)\/discovery\/v2\.0\/keys$/, take: microsoft.keys },
  { provider: "apple", methods: ["GET", "POST"], path: /^\/auth\/authorize$/, take: apple.authorize },
  { provider: "apple", methods: ["POST"], path: /^\/auth\/token$/, take: apple.token },
  { provider: "apple", methods: ["GET"], path: /^\/auth\/keys$/, take: apple.keys },
  { provider: "facebook", methods: ["GET", "POST"], path: /^\/dialog\/oauth$/, take: facebookRoutes.authorize },
  { provider: "facebook", methods: ["POST"], path: /^\/oauth\/access_token$/, take: facebookRoutes.token },
  { provider: "facebook", methods: ["GET"], path: /^\/debug_token$/, take: facebookRoutes.debug },
  { provider: "facebook", methods: ["GET"], path: /^\/me$/, take: facebookRoutes.profile },
];
