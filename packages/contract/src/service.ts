import * as z from "zod";
import { operations } from "./operations.ts";

/** `data` of the service check. */
export const serviceResponse = z
  .object({ applicationName: z.string(), applicationVersion: z.string() })
  .meta({ id: "Service" });

/** Name and version of the service. */
export type ServiceData = z.infer<typeof serviceResponse>;

/** Response of `/openapi.json`, without an envelope. */
export const apiDescription = z
  .looseObject({ openapi: z.string().describe("Version of the OpenAPI format: 3.1.1.") })
  .describe("An OpenAPI document, without an envelope.")
  .meta({ id: "ApiDescription" });

/** An OpenAPI document. */
export type ApiDescription = z.infer<typeof apiDescription>;

const text = z.string();

/** Response of `/.well-known/jwks.json`: a JWK set (RFC 7517), without an envelope. */
export const keySetResponse = z
  .object({
    keys: z.array(
      z.object({
        kty: z.literal("EC"),
        crv: z.literal("P-256"),
        x: text.describe("Base64url of 32 bytes."),
        y: text.describe("Base64url of 32 bytes."),
        kid: text.describe("Thumbprint of the key (RFC 7638), as in the header of its tokens."),
        use: z.literal("sig"),
        alg: z.literal("ES256"),
      }),
    ),
  })
  .meta({ id: "KeySet" });

const alias = /^[a-z][a-z0-9_-]{0,62}$/;

const reserved: ReadonlySet<string> = new Set(["v1", "v2", "admin", "docs", "healthz", "readyz", "metrics"]);

/** Whether a text is a valid database alias. First segments of other routes are reserved. */
export function isAlias(name: string): boolean {
  return alias.test(name) && !reserved.has(name);
}

/** Operations without credentials. */
export const serviceOperations = operations("Service", {
  checkService: {
    method: "GET",
    path: "/_CheckService",
    access: "public",
    summary: "Check the service",
    data: serviceResponse,
  },
});

/** The API description. */
export const descriptionOperations = operations("Service", {
  describeApi: {
    method: "GET",
    path: "/openapi.json",
    access: "optional",
    summary: "Get the API description",
    description:
      "Returns this document. With an app key and a session, it includes the classes that the caller can read and the macros that the caller can execute.",
    data: apiDescription,
    answer: "document",
    compressed: true,
  },
});
