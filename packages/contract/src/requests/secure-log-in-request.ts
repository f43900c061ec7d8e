import type { ErrorCode } from "@sallyport/core/errors";
import { z } from "zod";
import { refusedWith } from "../fields/refused-with.ts";

/**
 * A text that must be there: refused with the code when it is absent or blank. What is no text goes on as the JSON it is, which
 * is neither key nor cipher text: so it is refused like those that are wrong, in their order.
 */
function neededText(missing: ErrorCode) {
  return z.preprocess(
    (value) => (value === undefined || value === null || typeof value === "string" ? value : JSON.stringify(value)),
    z.string(refusedWith(missing)).refine((text) => text.trim() !== "", refusedWith(missing)),
  );
}

const publicKey = neededText(205).describe("The client's RSA public key: PEM, or base64 of the PEM or of the DER.");

/** Some clients spell the name without the capital letter. */
function withPublicKey(body: unknown): unknown {
  if (
    typeof body !== "object" ||
    body === null ||
    Object.hasOwn(body, "publicKey") ||
    !Object.hasOwn(body, "publickey")
  )
    return body;
  const { publickey, ...rest } = body as Record<string, unknown>;
  return { ...rest, publicKey: publickey };
}

/** Body of `POST /v2/login/secure`. */
export const secureLogInRequest = z
  .preprocess(
    withPublicKey,
    z.object({
      publicKey,
      credentials: neededText(206).describe(
        "Base64 of the log-in fields as JSON, encrypted block by block with the server's RSA key.",
      ),
    }),
  )
  .meta({ id: "SecureLogInRequest" });

/** The encrypted form of the body of `POST /v2/login`. */
export const encryptedLogInRequest = z
  .preprocess(
    withPublicKey,
    z.object({
      publicKey,
      aesKey: neededText(206).describe(
        "Base64 of 32 random bytes, encrypted by RSA-OAEP with SHA-256 and the server's key.",
      ),
      data: neededText(206).describe("Base64 of a 16-byte IV and the log-in fields as JSON, encrypted by AES-256-CBC."),
    }),
  )
  .meta({ id: "EncryptedLogInRequest" });

/** Which fault of these bodies is answered when there are several. */
export const secureLogInFaultOrder: readonly ErrorCode[] = [205, 206];

/** Whether a body means the encrypted form: it has the key of one, or another part of one beside nothing of the plain form. */
export function isEncryptedLogIn(body: Readonly<Record<string, unknown>>): boolean {
  const has = (...names: string[]) => names.some((name) => Object.hasOwn(body, name));
  return has("aesKey") || (has("data", "publicKey", "publickey") && !has("user", "pass"));
}
