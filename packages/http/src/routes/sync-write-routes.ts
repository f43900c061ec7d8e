import {
  anyJson,
  checkEnvelopeLimits,
  maxPush,
  maxPut,
  parseFields,
  pushEnvelope,
  pushRequest,
  pushResponse,
  successMessage,
  successStatus,
  syncDeleteRequest,
  syncDeleteResponse,
  syncFaultOrder,
  syncOperation,
  syncPutRequest,
  syncPutResponse,
} from "@sallyport/contract";
import { errorEntry, ServiceError } from "@sallyport/storage";
import {
  type GivenAttributes,
  operationUuid,
  type PushedOperation,
  type PushOptions,
  type PushResult,
  refuseRepetitions,
} from "@sallyport/core";
import type * as z from "zod";
import { type BodyRule, defineRoute, type Method, type Route } from "./route.ts";
import type { UseCases } from "./use-cases.ts";

/** Members of a put, and of an operation, that are as large and as deep as the body that creates an object. */
const valueMembers = ["fields", "base"];

/** The use case checks the schema first, then reads the body. */
export function laterBody<Schema extends z.ZodType>(schema: Schema): BodyRule<Schema> {
  return { schema, faultOrder: syncFaultOrder, any: true, alternative: () => ({ schema: anyJson, faultOrder: [] }) };
}

const pushPath = "/v1/sync/{schema}/push";

const putErrors = [307, 330, 332, 333, 334, 336, 338, 404, 502, 610, 611, 710, 713, 716, 717, 721] as const;

/** Routes that write objects of a schema. */
export function syncWriteRoutes({ pushChanges, writeSynced }: UseCases): Route[] {
  const put = (method: Extract<Method, "PUT" | "PATCH">, operation: string) =>
    defineRoute({
      method,
      path: "/v1/sync/{schema}/{uuid}",
      operation,
      summary: "Create or change an object of a schema",
      description: [
        "Merges the fields with those that the server has changed since: a field that still has its `base` gets the new value.",
        "About the others the conflict policy of the schema decides. `PUT` and `PATCH` are the same.",
      ].join(" "),
      access: "session",
      body: {
        ...laterBody(syncPutRequest),
        limit: maxPut.bytes,
        checkLimits: (body) => checkEnvelopeLimits(body, valueMembers),
      },
      data: syncPutResponse,
      errors: putErrors,
      handle: async (context, { parameter, body }) => ({
        data: await writeSynced.put(context, targetOf(parameter), () => {
          const given = parseFields(syncPutRequest, body, syncFaultOrder);
          return { uuid: given.uuid, operation: putOperation(given) };
        }),
      }),
    });
  return [
    put("PUT", "putSynced"),
    put("PATCH", "patchSynced"),
    defineRoute({
      method: "DELETE",
      path: "/v1/sync/{schema}/{uuid}",
      operation: "deleteSynced",
      summary: "Delete an object of a schema",
      description: "Deletes the object permanently, even if it has another version by now.",
      access: "session",
      body: laterBody(syncDeleteRequest),
      data: syncDeleteResponse,
      errors: [330, 332, 333, 334, 336, 338, 404, 609, 611, 710, 716, 717, 718, 720, 721],
      handle: async (context, { parameter, body }) => ({
        data: await writeSynced.delete(context, targetOf(parameter), () => {
          const { uuid } = parseFields(syncDeleteRequest, body, syncFaultOrder);
          return { uuid, operation: { op: "delete" } };
        }),
      }),
    }),
    defineRoute({
      method: "POST",
      path: pushPath,
      operation: "pushChanges",
      summary: "Push changes of a client",
      description: [
        "Executes the operations in order, and returns a result for each. A failure does not affect the others.",
        "With `atomic`, all share one transaction, and the first failure is the answer. A repeated operation, with the same id,",
        "gets its result again. The answer also has the changes since `syncVersion`, as a pull, without those of this push.",
      ].join(" "),
      access: "session",
      compressed: true,
      excludedFromMulti: true,
      body: {
        ...laterBody(pushRequest),
        limit: maxPush.bytes,
        // An operation over the limits fails alone.
        checkLimits: (body) => checkEnvelopeLimits(body, ["ops"], () => {}),
      },
      data: pushResponse,
      errors: [...putErrors, 329, 609, 714, 716, 718, 719, 720],
      handle: async (context, { parameter, body, settings, note }) => {
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
            error === null ? [] : { route: pushPath, method: "POST", status: error.status, code: error.code, error },
          ),
        );
        return { data: { results: results.map((each) => resultOf(each, settings.debugMessages)), ...changes } };
      },
    }),
  ];
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

function targetOf(parameter: (name: string) => string) {
  return { schemaName: parameter("schema"), uuid: parameter("uuid") };
}

/** The operation of a parsed body. */
export function putOperation(given: z.output<typeof syncPutRequest>) {
  const { syncVersion, className, fields, base = {} } = given;
  return {
    op: "put",
    version: Number(syncVersion),
    className,
    fields: fields as GivenAttributes,
    base: base as GivenAttributes,
  } as const;
}
