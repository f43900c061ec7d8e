import { createPrivateKey, type KeyObject } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { isAbsolute } from "node:path";
import { strictJsonObject } from "@sallyport/storage";
import { type ProviderData } from "@sallyport/core";
import { SignJWT } from "jose";
import { Strategy } from "passport-apple";
import { type JsonObject, misconfigured } from "./guarded-client.ts";
import { OpenIdProvider } from "./open-id-provider.ts";
import { acceptedTexts, emailOf, idRule, fakeIssuer, profileText, type ProviderEnvironment } from "./provider-data.ts";

const real = "https://appleid.apple.com";

export function appleProvider(environment: ProviderEnvironment): OpenIdProvider {
  const { fakeProviders } = environment;
  const issuer = fakeProviders === null ? real : fakeIssuer("apple");
  const base = fakeProviders === null ? real : `${fakeProviders}/apple`;
  const endpoints = { authorize: `${base}/auth/authorize`, token: `${base}/auth/token`, keys: `${base}/auth/keys` };
  return new OpenIdProvider(
    {
      type: "apple",
      scope: "name email",
      hasPkce: false,
      // Apple requires `form_post` if the scope contains `name` or `email`.
      parameters: { response_mode: "form_post" },
      endpoints: () => endpoints,
      accept: (data) => acceptAppleData(data, fakeProviders !== null),
      clientSecret: (data) => appleClientSecret(data, issuer),
      Strategy,
      issuerOf: ({ iss }) => (iss === issuer ? issuer : null),
      profileOf: (claims, parameters) => ({ ...appleName(parameters.get("user")), email: emailOf(claims) }),
    },
    environment,
  );
}

const appleId = { pattern: /^[\dA-Za-z]{1,32}$/ };

/** Validates Apple's additional data and the key file. Trailing slashes of the address are removed. */
function acceptAppleData(data: unknown, isFake: boolean): ProviderData {
  const accepted = acceptedTexts(data, {
    clientId: idRule,
    serverAddress: { pattern: /^\S{1,1024}$/ },
    teamId: appleId,
    keyIdentifier: appleId,
    // oxlint-disable-next-line no-control-regex -- A path with control characters is refused.
    keyPath: { pattern: /^[^\u0000-\u001F]{1,4096}$/ },
  });
  keyFromFile(accepted.keyPath);
  return { ...accepted, serverAddress: addressOf(accepted.serverAddress, isFake) };
}

function addressOf(text: string, isFake: boolean): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url?.search === "" && url.hash === "" && url.username === "" && url.password === "";
  if (url === null || !isPlain || !(url.protocol === "https:" || (isFake && url.protocol === "http:"))) {
    throw misconfigured("serverAddress of the additional data is not an https URL.");
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}

/** Seconds; each secret serves one code exchange. */
const lifetime = 300;

/** The client secret: a JWT signed with Apple's key. The file is read every time, so that it can be replaced. */
function appleClientSecret(
  { clientId = "", teamId = "", keyIdentifier = "", keyPath = "" }: ProviderData,
  audience: string,
): Promise<string> {
  const seconds = Math.floor(Date.now() / 1_000);
  return new SignJWT()
    .setProtectedHeader({ alg: "ES256", kid: keyIdentifier })
    .setIssuer(teamId)
    .setSubject(clientId)
    .setAudience(audience)
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + lifetime)
    .sign(keyFromFile(keyPath));
}

const maxFileSize = 16_384;

/** Reads the operator's P-256 key file. 608 if it contains no such key or is world-readable. */
function keyFromFile(path: string): KeyObject {
  const key = parsed(contentOf(path));
  if (key?.asymmetricKeyType !== "ec" || key.asymmetricKeyDetails?.namedCurve !== "prime256v1")
    throw misconfigured("The file at keyPath does not contain a P-256 private key.");
  return key;
}

function contentOf(path: string): string {
  if (!isAbsolute(path)) throw misconfigured("keyPath is not an absolute path.");
  let file: number;
  try {
    // Non-blocking, because the path may be a named pipe.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch {
    throw misconfigured("The file at keyPath does not exist or is not readable.");
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile() || stat.size > maxFileSize) throw misconfigured("keyPath is not a key file.");
    // Windows has no such permissions.
    if (process.platform !== "win32" && (stat.mode & constants.S_IROTH) !== 0)
      throw misconfigured("The file at keyPath is readable by all users of the machine.");
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

function parsed(text: string): KeyObject | null {
  try {
    return createPrivateKey(text);
  } catch {
    return null;
  }
}

const maxLength = 4_096;

/** The name in Apple's form post at a user's first log-in. It is not signed. Invalid data yields empty names. */
export function appleName(user: string | undefined): { readonly name: string; readonly surname: string } {
  const profile = user === undefined || user.length > maxLength ? null : strictJsonObject(user);
  const name = profile?.["name"];
  const { firstName, lastName } = typeof name === "object" && name !== null ? (name as JsonObject) : {};
  return { name: profileText(firstName), surname: profileText(lastName) };
}
