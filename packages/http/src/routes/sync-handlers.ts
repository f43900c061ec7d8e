import {
  checkEnvelopeLimits,
  parseFields,
  pullRequest,
  pushEnvelope,
  successMessage,
  successStatus,
  syncDeleteRequest,
  syncFaultOrder,
  syncOperation,
  syncOperations,
  syncPutRequest,
  valueMembers,
} from "@sallyport/contract";
import { errorEntry, type JsonValue, ServiceError } from "@sallyport/storage";
import {
  type GivenAttributes,
  operationUuid,
  type PullPage,
  type PushedOperation,
  type PushOptions,
  type PushResult,
  refuseRepetitions,
  type SessionContext,
} from "@sallyport/core";
import type * as z from "zod";
import type { Handlers, InputOf, RouteInput, Success } from "./route.ts";
import type { UseCases } from "./use-cases.ts";

/** Schemas, pull, writes and push. */
export const syncHandlers = ({
  listSyncSchemas,
  pullChanges,
  pushChanges,
  writeSynced,
}: UseCases): Handlers<typeof syncOperations> => {
  const pull = async (
    context: SessionContext,
    given: unknown,
    named: string | undefined,
    suspend: RouteInput["suspend"],
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
  const put = async (
    context: SessionContext,
    { parameter, body }: InputOf<typeof syncOperations.putSynced>,
  ): Promise<Success> => ({
    data: await writeSynced.put(context, targetOf(parameter), () => {
      const given = parseFields(syncPutRequest, body, syncFaultOrder);
      return { uuid: given.uuid, operation: putOperation(given) };
    }),
  });
  return {
    listSyncSchemas: async (context) => ({ data: { schemas: await listSyncSchemas.listSyncSchemas(context) } }),
    pullNamed: (context, input) => pull(context, input.body, undefined, input.suspend),
    pull: (context, input) => pull(context, input.body, input.parameter("schema"), input.suspend),
    putSynced: put,
    patchSynced: put,
    deleteSynced: async (context, { parameter, body }) => ({
      data: await writeSynced.delete(context, targetOf(parameter), () => {
        const { uuid } = parseFields(syncDeleteRequest, body, syncFaultOrder);
        return { uuid, operation: { op: "delete" } };
      }),
    }),
    pushChanges: async (context, { parameter, body, settings, note }) => {
      const deadline = performance.now() + settings.multiTimeout;
      const isLate = () => performance.now() > deadline;
      const input = {
        schemaName: parameter("schema"),
        syncVersion: versionIn(body),
        rest: () => pushOf(body),
        isLate,
      };
      const { results, ...changes } = await pushChanges.push(context, input);
      note(
        results.flatMap(({ error }) =>
          error === null
            ? []
            : { route: syncOperations.pushChanges.path, method: "POST", status: error.status, code: error.code, error },
        ),
      );
      return { data: { results: results.map((each) => resultOf(each, settings.debugMessages)), ...changes } };
    },
  };
};

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

/** The version in a body that is not validated yet. */
function versionIn(body: unknown): unknown {
  return typeof body === "object" && body !== null && "syncVersion" in body ? body.syncVersion : undefined;
}

function pushOf(body: unknown): PushOptions {
  const { ops, atomic = false, query, limit } = parseFields(pushEnvelope, body, syncFaultOrder);
  const given = (body as { readonly ops: readonly unknown[] }).ops;
  const operations = ops.map(({ id, uuid }, index) => pushedOperation({ id, uuid }, given[index]));
  refuseRepetitions(operations);
  return { operations, atomic, query: query as PushOptions["query"], limit };
}

/** An invalid operation fails alone. */
function pushedOperation({ id, uuid: spelled }: Pick<PushedOperation, "id" | "uuid">, given: unknown): PushedOperation {
  const uuid = spelled.toLowerCase();
  try {
    checkEnvelopeLimits(given, valueMembers);
    const { op, fields, ...operation } = parseFields(syncOperation, given, syncFaultOrder);
    operationUuid(uuid);
    if (op === "delete") return { id, uuid, operation: { op, uuid } };
    if (fields === undefined) throw new ServiceError(332, { detail: "at /fields" });
    return { id, uuid, operation: { ...putOperation({ ...operation, fields }), uuid } };
  } catch (error) {
    if (error instanceof ServiceError) return { id, uuid, operation: error };
    throw error;
  }
}

function resultOf({ id, uuid, error, outcome, object }: PushResult, debugMessages: boolean) {
  const status =
    error === null
      ? { internalStatus: successStatus, statusMessage: successMessage }
      : {
          internalStatus: String(error.code),
          statusMessage: errorEntry(error.code).name,
          ...(debugMessages && error.detail !== undefined ? { debugMessage: error.detail } : {}),
        };
  return { id, uuid, ...status, ...outcome, ...(object === undefined ? {} : { object }) };
}

function targetOf(parameter: (name: "schema" | "uuid") => string) {
  return { schemaName: parameter("schema"), uuid: parameter("uuid") };
}

/** The operation of a parsed body. */
function putOperation(given: z.output<typeof syncPutRequest>) {
  const { syncVersion, className, fields, base = {} } = given;
  return {
    op: "put",
    version: Number(syncVersion),
    className,
    fields: fields as GivenAttributes,
    base: base as GivenAttributes,
  } as const;
}
