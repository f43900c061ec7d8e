import { Strategy } from "passport-google-oauth20";
import { OpenIdProvider } from "./open-id-provider.ts";
import {
  acceptedTexts,
  emailOf,
  idRule,
  imitatedIssuer,
  profileText,
  type ProviderSurroundings,
  secretRule,
} from "./provider-data.ts";

const real = {
  authorize: "https://accounts.google.com/o/oauth2/v2/auth",
  token: "https://oauth2.googleapis.com/token",
  keys: "https://www.googleapis.com/oauth2/v3/certs",
  issuer: "https://accounts.google.com",
};

const imitated = (base: string): typeof real => ({
  authorize: `${base}/google/authorize`,
  token: `${base}/google/token`,
  keys: `${base}/google/keys`,
  issuer: imitatedIssuer("google"),
});

export function googleProvider(surroundings: ProviderSurroundings): OpenIdProvider {
  const { issuer, ...endpoints } = surroundings.imitation === null ? real : imitated(surroundings.imitation);
  // Google signs its name with and without the scheme; it is one issuer all the same.
  const names = new Set<unknown>([issuer, ...(issuer === real.issuer ? ["accounts.google.com"] : [])]);
  return new OpenIdProvider(
    {
      type: "google",
      scope: "openid email profile",
      hasPkce: true,
      parameters: {},
      endpoints: () => endpoints,
      accept: (data) => acceptedTexts(data, { clientId: idRule, clientSecret: secretRule }),
      clientSecret: async ({ clientSecret = "" }) => clientSecret,
      Strategy,
      issuerOf: ({ iss }) => (names.has(iss) ? issuer : null),
      profileOf: (claims) => ({
        name: profileText(claims["given_name"] ?? claims["name"]),
        surname: profileText(claims["family_name"]),
        email: emailOf(claims),
      }),
    },
    surroundings,
  );
}
