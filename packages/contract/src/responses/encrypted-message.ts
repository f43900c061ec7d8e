import { z } from "zod";

/** A body or an answer of a secure session. */
export const encryptedMessage = z
  .string()
  .describe(
    "Base64 of the JSON text that stands under `application/json`, encrypted by AES-256-CTR with the key of the session. The header `Encrypted` holds the counter block that it begins with.",
  )
  .meta({ id: "EncryptedMessage" });
