import {
  anyJson,
  parseFields,
  pullRequest,
  pullResponse,
  syncFaultOrder,
  syncSchemasResponse,
} from "@sallyport/contract";
import { type JsonValue, ServiceError } from "@sallyport/storage";
import { type PullPage, type SessionContext } from "@sallyport/core";
import { defineRoute, type Route, type RouteInput } from "./route.ts";
import type { UseCases } from "./use-cases.ts";

const pulling = [
  "Returns the changes since the version of the client, in pages. The client stores `syncVersion` of the last page for the next pull.",
  "With `wait`, an empty result waits for a change. Error 330 with the header `Sync-Restart: 1` means that the client pulls from version `0`.",
].join(" ");

/** Routes of synchronization. */
export function syncRoutes({ listSyncSchemas, pullChanges }: UseCases): Route[] {
  const pull = async (
    context: SessionContext,
    given: unknown,
    named: string | undefined,
    suspend: RouteInput<unknown, unknown>["suspend"],
  ): Promise<{ readonly data: PullPage }> => {
    const body = membersOf(given);
    const input = {
      schemaName: schemaNameOf(body, named),
      syncVersion: body["syncVersion"],
      rest: () => {
        const parsed = parseFields(pullRequest, body, syncFaultOrder);
        if (parsed.schemaName !== undefined && named !== undefined && parsed.schemaName !== named)
          throw new ServiceError(332, { detail: "at /schemaName: Path and body name different schemas." });
        return parsed;
      },
      suspend,
    };
    return { data: await pullChanges.pull(context, input) };
  };
  // The use case checks the schema and the version first.
  const body = {
    schema: pullRequest,
    faultOrder: syncFaultOrder,
    any: true,
    alternative: () => ({ schema: anyJson, faultOrder: [] }),
  } as const;
  const errors = [307, 329, 330, 332, 333, 338, 611, 716, 717, 721] as const;
  return [
    defineRoute({
      method: "GET",
      path: "/v1/sync",
      operation: "listSyncSchemas",
      summary: "List the schemas of synchronization",
      description:
        "Schemas without a class that the caller can read are absent. Only administrators see those that do not fit the classes any more.",
      access: "session",
      data: syncSchemasResponse,
      errors: [611, 716, 717, 721],
      handle: async (context) => ({ data: { schemas: await listSyncSchemas.listSyncSchemas(context) } }),
    }),
    defineRoute({
      method: "POST",
      path: "/v1/sync",
      operation: "pullNamed",
      isRead: true,
      summary: "Pull changes of the schema in the body",
      description: pulling,
      access: "session",
      compressed: true,
      body,
      data: pullResponse,
      errors: [...errors, 335],
      handle: (context, input) => pull(context, input.body, undefined, input.suspend),
    }),
    defineRoute({
      method: "POST",
      path: "/v1/sync/{schema}",
      operation: "pull",
      isRead: true,
      summary: "Pull changes",
      description: pulling,
      access: "session",
      compressed: true,
      body,
      data: pullResponse,
      errors,
      handle: (context, input) => pull(context, input.body, input.parameter("schema"), input.suspend),
    }),
  ];
}

/** The members of a body, none if it is not an object. */
function membersOf(given: unknown): Readonly<Record<string, JsonValue>> {
  return typeof given === "object" && given !== null && !Array.isArray(given)
    ? (given as Readonly<Record<string, JsonValue>>)
    : {};
}

/** The name in the path, or in the body. 333 later for a name that is not a text. */
function schemaNameOf({ schemaName }: Readonly<Record<string, JsonValue>>, named: string | undefined) {
  if (named !== undefined || schemaName === undefined) return named;
  return typeof schemaName === "string" ? schemaName : "";
}
