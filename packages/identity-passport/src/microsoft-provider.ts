import type { ProviderData } from "@sallyport/core";
import { Strategy } from "passport-microsoft";
import type { JsonObject } from "./guarded-client.ts";
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

/** A UUID, as directories are known by in tokens. */
const directory = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Any Microsoft account, unless the entry names the directory of an organisation. */
const anybody = "common";

const real = "https://login.microsoftonline.com";

export function microsoftProvider(surroundings: ProviderSurroundings): OpenIdProvider {
  const { imitation } = surroundings;
  const base = imitation === null ? real : `${imitation}/microsoft`;
  const issuers = imitation === null ? real : imitatedIssuer("microsoft");
  return new OpenIdProvider(
    {
      type: "microsoft",
      scope: "openid email profile",
      hasPkce: true,
      parameters: { response_mode: "query" },
      endpoints: ({ tenant = anybody }) => ({
        authorize: `${base}/${tenant}/oauth2/v2.0/authorize`,
        token: `${base}/${tenant}/oauth2/v2.0/token`,
        keys: `${base}/${tenant}/discovery/v2.0/keys`,
      }),
      accept: (data) =>
        acceptedTexts(data, {
          clientId: idRule,
          clientSecret: secretRule,
          tenant: { pattern: /^[\dA-Za-z][\dA-Za-z.-]{0,253}$/, isOptional: true },
        }),
      clientSecret: async ({ clientSecret = "" }) => clientSecret,
      Strategy,
      issuerOf: (claims, data) => issuerOf(issuers, claims, data),
      profileOf: (claims) => ({
        name: profileText(claims["given_name"] ?? claims["name"]),
        surname: profileText(claims["family_name"]),
        email: emailOf(claims),
      }),
    },
    surroundings,
  );
}

/** Each directory is an issuer of its own, which `tid` names; an entry for one directory takes no other. */
function issuerOf(issuers: string, { iss, tid }: JsonObject, { tenant = anybody }: ProviderData): string | null {
  if (typeof tid !== "string" || !directory.test(tid) || iss !== `${issuers}/${tid}/v2.0`) return null;
  return directory.test(tenant.toLowerCase()) && tenant.toLowerCase() !== tid ? null : iss;
}
