import type { ErrorCode } from "@sallyport/core/errors";
import { z } from "zod";
import { refusedWith } from "../fields/refused-with.ts";

/** A text that must be there: `missing` when it is absent or blank, `invalid` when it is something else. */
function neededText(missing: ErrorCode, invalid: ErrorCode) {
  return z
    .string({ error: ({ input }) => String(input === undefined || input === null ? missing : invalid) })
    .refine((text) => text.trim() !== "", refusedWith(missing));
}

const publicKey = neededText(205, 309).describe("The client's RSA public key: PEM, or base64 of the PEM or of the DER.");

/** Some clients spell the name without the capital letter. */
function withPublicKey(body: unknown): unknown {
  if (typeof body !== "object" || body === null || Object.hasOwn(body, "publicKey") || !Object.hasOwn(body, "publickey")) return body;
  const { publickey, ...rest } = body as Record<string, unknown>;
  return { ...rest, publicKey: publickey };
}

/** Body of `POST /v2/login/secure`. */
export const secureLogInRequest = z
  .preprocess(
    withPublicKey,
    z.object({
      publicKey,
      credentials: neededText(206, 310).describe("Base64 of the log-in fields as JSON, encrypted block by block with the server's RSA key."),
    }),
  )
  .meta({ id: "SecureLogInRequest" });

/** The encrypted form of the body of `POST /v2/login`. */
export const encryptedLogInRequest = z
  .preprocess(
    withPublicKey,
    z.object({
      publicKey,
      aesKey: neededText(206, 310).describe("Base64 of 32 random bytes, encrypted by RSA-OAEP with SHA-256 and the server's key."),
      data: neededText(206, 310).describe("Base64 of a 16-byte IV and the log-in fields as JSON, encrypted by AES-256-CBC."),
    }),
  )
  .meta({ id: "EncryptedLogInRequest" });

/** Which fault of these bodies is answered when there are several. */
export const secureLogInFaultOrder: readonly ErrorCode[] = [205, 206, 309, 310];

/** Whether a body means the encrypted form. */
export function isEncryptedLogIn(body: Readonly<Record<string, unknown>>): boolean {
  return ["aesKey", "data", "publicKey", "publickey"].some((name) => Object.hasOwn(body, name));
}
