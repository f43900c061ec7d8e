import { z } from "zod";

const text = z.string();

/** The answer of `/.well-known/jwks.json`: a JWK set (RFC 7517), in no envelope. */
export const keySetResponse = z
  .object({
    keys: z.array(
      z.object({
        kty: z.literal("EC"),
        crv: z.literal("P-256"),
        x: text.describe("Base64url of 32 bytes."),
        y: text.describe("Base64url of 32 bytes."),
        kid: text.describe("Thumbprint of the key (RFC 7638), as in the header of the tokens that it signed."),
        use: z.literal("sig"),
        alg: z.literal("ES256"),
      }),
    ),
  })
  .meta({ id: "KeySet" });
