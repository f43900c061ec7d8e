import * as z from "zod";

/** `status.internalStatus` of a success. */
export const successStatus = "0";

/** Default `status.statusMessage` of a success. */
export const successMessage = "ok";

export const statusSchema = z
  .object({
    internalStatus: z.string().describe("`0` on success, else a code of the error catalogue."),
    statusMessage: z.string().describe("`ok` on plain success, else the name of the error."),
    debugMessage: z.string().optional().describe("Only when the configuration turns it on."),
  })
  .meta({ id: "Status" });

/** Schema of a success envelope with the given payload. */
export function envelopeOf<T extends z.ZodType>(data: T) {
  return z.object({ status: statusSchema, data });
}

/** Envelope of a failure. It has no `data`. */
export const failureEnvelope = z.object({ status: statusSchema }).meta({ id: "Failure" });

export type Status = z.infer<typeof statusSchema>;

export interface Envelope<Data> {
  readonly status: Status;
  readonly data: Data;
}

/** Encrypted request or response body of a secure session. */
export const encryptedMessage = z
  .string()
  .describe(
    "Base64 of the JSON text that stands under `application/json`, encrypted by AES-256-CTR with the key of the session. The header `Encrypted` holds the counter block that it begins with.",
  )
  .meta({ id: "EncryptedMessage" });
