import type { ProviderData } from "@sallyport/core";
import { Strategy as GoogleStrategy } from "passport-google-oauth20";
import { Strategy as MicrosoftStrategy } from "passport-microsoft";
import type { JsonObject } from "./guarded-client.ts";
import { OpenIdProvider } from "./open-id-provider.ts";
import {
  acceptedTexts,
  emailOf,
  idRule,
  fakeIssuer,
  profileText,
  type ProviderEnvironment,
  secretRule,
} from "./provider-data.ts";

/** Shared settings of Google and Microsoft. */
const common = {
  scope: "openid email profile",
  hasPkce: true,
  clientSecret: async ({ clientSecret = "" }: ProviderData) => clientSecret,
  profileOf: (claims: JsonObject) => ({
    name: profileText(claims["given_name"] ?? claims["name"]),
    surname: profileText(claims["family_name"]),
    email: emailOf(claims),
  }),
} as const;

const clientRules = { clientId: idRule, clientSecret: secretRule };

const realGoogle = {
  authorize: "https://accounts.google.com/o/oauth2/v2/auth",
  token: "https://oauth2.googleapis.com/token",
  keys: "https://www.googleapis.com/oauth2/v3/certs",
  issuer: "https://accounts.google.com",
};

const fakeGoogle = (base: string): typeof realGoogle => ({
  authorize: `${base}/google/authorize`,
  token: `${base}/google/token`,
  keys: `${base}/google/keys`,
  issuer: fakeIssuer("google"),
});

export function googleProvider(environment: ProviderEnvironment): OpenIdProvider {
  const { fakeProviders } = environment;
  const { issuer, ...endpoints } = fakeProviders === null ? realGoogle : fakeGoogle(fakeProviders);
  // Google's tokens contain the issuer with or without the scheme.
  const names = new Set<unknown>([issuer, ...(issuer === realGoogle.issuer ? ["accounts.google.com"] : [])]);
  return new OpenIdProvider(
    {
      ...common,
      type: "google",
      parameters: {},
      endpoints: () => endpoints,
      accept: (data) => acceptedTexts(data, clientRules),
      Strategy: GoogleStrategy,
      issuerOf: ({ iss }) => (names.has(iss) ? issuer : null),
    },
    environment,
  );
}

/** The UUID of a directory (tenant), as in tokens. */
const directory = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Any Microsoft account, unless the configuration names a directory. */
const anyAccount = "common";

const realMicrosoft = "https://login.microsoftonline.com";

export function microsoftProvider(environment: ProviderEnvironment): OpenIdProvider {
  const { fakeProviders } = environment;
  const base = fakeProviders === null ? realMicrosoft : `${fakeProviders}/microsoft`;
  const issuers = fakeProviders === null ? realMicrosoft : fakeIssuer("microsoft");
  return new OpenIdProvider(
    {
      ...common,
      type: "microsoft",
      parameters: { response_mode: "query" },
      endpoints: ({ tenant = anyAccount }) => ({
        authorize: `${base}/${tenant}/oauth2/v2.0/authorize`,
        token: `${base}/${tenant}/oauth2/v2.0/token`,
        keys: `${base}/${tenant}/discovery/v2.0/keys`,
      }),
      accept: (data) =>
        acceptedTexts(data, {
          ...clientRules,
          tenant: { pattern: /^[\dA-Za-z][\dA-Za-z.-]{0,253}$/, isOptional: true },
        }),
      Strategy: MicrosoftStrategy,
      issuerOf: (claims, data) => issuerOf(issuers, claims, data),
    },
    environment,
  );
}

/** Each directory is an issuer; `tid` names it. A configured directory accepts no other. */
function issuerOf(issuers: string, { iss, tid }: JsonObject, { tenant = anyAccount }: ProviderData): string | null {
  if (typeof tid !== "string" || !directory.test(tid) || iss !== `${issuers}/${tid}/v2.0`) return null;
  return directory.test(tenant.toLowerCase()) && tenant.toLowerCase() !== tid ? null : iss;
}
