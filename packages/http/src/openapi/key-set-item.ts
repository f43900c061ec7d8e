import { failureEnvelope, keySetResponse } from "@sallyport/contract";
import { keySetType } from "../well-known/answer-key-set.ts";
import type { PathItemObject } from "./open-api.ts";
import type { SchemaComponents } from "./schema-components.ts";
import type { TagName } from "./tags.ts";

export const keySetTag: TagName = "Service";

/** The set of keys, which is the server's and not a database's. */
export function keySetItem(basePath: string, components: SchemaComponents): PathItemObject {
  const headers = { "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" } };
  const root = { url: "/", description: "The server, whatever its databases." };
  return {
    servers: basePath === "" ? [root] : [root, { url: basePath, description: "The same below the base path." }],
    get: {
      operationId: "getKeySet",
      tags: [keySetTag],
      summary: "The public keys with which the tokens of all databases can be checked. Fetch it over HTTPS.",
      description:
        "In no envelope. `aud` of a token is the `databaseName` of the log-in. That a signature is good does not say that the session still lives.",
      security: [],
      responses: {
        200: {
          description: "The keys.",
          headers,
          content: { [keySetType]: { schema: components.describe(keySetResponse, "output") } },
        },
        default: {
          description: "A failure, in an envelope.",
          headers,
          content: { "application/json": { schema: components.describe(failureEnvelope, "output") } },
        },
      },
    },
  };
}
