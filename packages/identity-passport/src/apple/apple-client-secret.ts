import type { ProviderData } from "@sallyport/core";
import { SignJWT } from "jose";
import { keyFromFile } from "./key-file.ts";

/** In seconds: it is made for one exchange. */
const lifetime = 300;

/** What Apple knows a client by: a token of its own, signed by the key that Apple gave out. The file is read each time, so that it can be replaced. */
export function appleClientSecret(
  { clientId = "", teamId = "", keyIdentifier = "", keyPath = "" }: ProviderData,
  audience: string,
  now: number,
): Promise<string> {
  const seconds = Math.floor(now / 1_000);
  return new SignJWT()
    .setProtectedHeader({ alg: "ES256", kid: keyIdentifier })
    .setIssuer(teamId)
    .setSubject(clientId)
    .setAudience(audience)
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + lifetime)
    .sign(keyFromFile(keyPath));
}
