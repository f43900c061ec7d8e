import * as z from "zod";

/** `status.internalStatus` of a success. */
export const successStatus = "0";

/** Default `status.statusMessage` of a success. */
export const successMessage = "ok";

export const statusSchema = z
  .object({
    internalStatus: z.string().describe("`0` on success, otherwise an error code."),
    statusMessage: z
      .string()
      .describe("`ok` on success, otherwise the name of the error. A macro can set another text."),
    debugMessage: z
      .string()
      .optional()
      .describe("Exact reason of a failure. Present only if the configuration enables `debugMessages`."),
    notice: z
      .string()
      .optional()
      .describe("Message of the operator for users, such as the reason of a maintenance. Present only with code 706."),
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
    "Base64 of the JSON document described under `application/json`, encrypted with AES-256-CTR and the session key. The header `Encrypted` contains the initial counter block.",
  )
  .meta({ id: "EncryptedMessage" });

/** `data` of a response without payload. */
export const emptyResponse = z.strictObject({}).meta({ id: "Nothing" });
