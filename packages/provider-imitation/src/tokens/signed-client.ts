import { createPublicKey, verify } from "node:crypto";
import type { ImitatedClient } from "../imitated-client.ts";

/** Whether a text is a token by which Apple knows a client: signed by its key, for this audience, at this time. */
export function isSignedClient(client: ImitatedClient, token: string, audience: string, now: number): boolean {
  const [head = "", body = "", signature = ""] = token.split(".");
  const header = jsonOf(head);
  const claims = jsonOf(body);
  if (client.key === undefined || header === null || claims === null) return false;
  const { teamId, keyIdentifier, publicKey } = client.key;
  const proven = verify(
    "sha256",
    Buffer.from(`${head}.${body}`),
    { key: createPublicKey(publicKey), dsaEncoding: "ieee-p1363" },
    Buffer.from(signature, "base64url"),
  );
  return (
    proven &&
    header["alg"] === "ES256" &&
    header["kid"] === keyIdentifier &&
    claims["iss"] === teamId &&
    claims["sub"] === client.clientId &&
    claims["aud"] === audience &&
    Number(claims["iat"]) <= now + 60 &&
    Number(claims["exp"]) > now &&
    // Half a year, as Apple has it.
    Number(claims["exp"]) <= now + 15_777_000
  );
}

function jsonOf(segment: string): Record<string, unknown> | null {
  try {
    return JSON.parse(Buffer.from(segment, "base64url").toString("utf8"));
  } catch {
    return null;
  }
}
