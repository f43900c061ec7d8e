import { emailOf } from "../data/email-of.ts";
import { imitatedIssuer } from "../strategies/imitated-issuer.ts";
import { OpenIdProvider } from "../strategies/open-id-provider.ts";
import type { ProviderSurroundings } from "../strategies/provider-surroundings.ts";
import { acceptAppleData } from "./accept-apple-data.ts";
import { appleClientSecret } from "./apple-client-secret.ts";
import { appleName } from "./apple-name.ts";
import { appleStrategy } from "./apple-strategy.ts";

const real = "https://appleid.apple.com";

export function appleProvider(surroundings: ProviderSurroundings): OpenIdProvider {
  const { imitation, now } = surroundings;
  const issuer = imitation === null ? real : imitatedIssuer("apple");
  const base = imitation === null ? real : `${imitation}/apple`;
  const endpoints = { authorize: `${base}/auth/authorize`, token: `${base}/auth/token`, keys: `${base}/auth/keys` };
  return new OpenIdProvider(
    {
      type: "apple",
      scope: "name email",
      hasPkce: false,
      // Whoever asks for a name or an address is answered with a form.
      parameters: { response_mode: "form_post" },
      endpoints: () => endpoints,
      accept: (data) => acceptAppleData(data, imitation !== null),
      clientSecret: (data) => appleClientSecret(data, issuer, now()),
      strategy: appleStrategy,
      issuerOf: ({ iss }) => (iss === issuer ? issuer : null),
      profileOf: (claims, parameters) => ({ ...appleName(parameters.get("user")), email: emailOf(claims) }),
    },
    surroundings,
  );
}
