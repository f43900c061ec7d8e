import * as z from "zod";
import { flag } from "./fields.ts";

/** `data` of the service check. */
export const serviceResponse = z
  .object({ applicationName: z.string(), applicationVersion: z.string() })
  .meta({ id: "Service" });

/** `data` of an answer without payload. */
export const emptyResponse = z.strictObject({}).meta({ id: "Nothing" });

/** What the service says of itself. */
export type ServiceData = z.infer<typeof serviceResponse>;

/** The answer of `/openapi.json`, in no envelope. */
export const apiDescription = z
  .looseObject({ openapi: z.string().describe("Version of the format: 3.1.1.") })
  .describe("An OpenAPI document, in no envelope.")
  .meta({ id: "ApiDescription" });

/** An OpenAPI document. */
export type ApiDescription = z.infer<typeof apiDescription>;

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

/** Query parameters of an execution. */
export const executeParameters = z.object({
  skipChecker: flag
    .default(false)
    .describe("Leaves out the execution checker of the macro, which needs the right to do so."),
});
