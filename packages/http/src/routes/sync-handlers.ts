import {
  type Checked,
  type pullRequest,
  type pushRequest,
  successMessage,
  successStatus,
  type pushedChange,
  syncOperations,
  type syncPutRequest,
} from "@sallyport/contract";
import { errorEntry, ServiceError } from "@sallyport/storage";
import {
  type InputAttributes,
  changeUuid,
  type PullOptions,
  type PushedChange,
  type PushOptions,
  type PushResult,
  type SessionContext,
  pullChanges,
  putSynced,
  listSyncSchemas,
  deleteSynced,
  pushChanges,
} from "@sallyport/core";
import type * as z from "zod";
import type { Handlers, InputOf, Served } from "../route.ts";

const pull = async (
  context: Served<SessionContext>,
  { body, suspend }: Pick<InputOf<typeof syncOperations.pull>, "body" | "suspend">,
  named: string | undefined,
) => {
  const members = "fault" in body ? body.input : body.value;
  const input = {
    schemaName: named ?? schemaNameOf(member(members, "schemaName")),
    syncVersion: member(members, "syncVersion"),
    rest: "fault" in body ? body.fault : pullOf(body.value, named),
    suspend,
  };
  return { data: await pullChanges(context, input) };
};
const put = async (context: Served<SessionContext>, { parameter, body }: InputOf<typeof syncOperations.putSynced>) => ({
  data: await putSynced(
    context,
    targetOf(parameter),
    "fault" in body ? body.fault : { uuid: body.value.uuid, change: putChange(body.value) },
  ),
});

/** Schemas, pull, writes and push. */
export const syncHandlers: Handlers<typeof syncOperations> = {
  listSyncSchemas: async (context) => ({ data: { schemas: await listSyncSchemas(context) } }),
  pullNamed: (context, input) => pull(context, input, undefined),
  pull: (context, input) => pull(context, input, input.parameter("schema")),
  putSynced: put,
  patchSynced: put,
  deleteSynced: async (context, { parameter, body }) => ({
    data: await deleteSynced(
      context,
      targetOf(parameter),
      "fault" in body ? body.fault : { uuid: body.value.uuid, change: { op: "delete" } },
    ),
  }),
  pushChanges: async (context, { parameter, body, settings, note }) => {
    const deadline = performance.now() + settings.multiTimeout;
    const isLate = () => performance.now() > deadline;
    const input = {
      schemaName: parameter("schema"),
      syncVersion: member("fault" in body ? body.input : body.value, "syncVersion"),
      rest: "fault" in body ? body.fault : pushOf(body.value),
      isLate,
    };
    const { results, ...delta } = await pushChanges(context, input);
    note(
      results.flatMap(({ error }) =>
        error === null
          ? []
          : { route: syncOperations.pushChanges.path, method: "POST", status: error.status, code: error.code, error },
      ),
    );
    return { data: { results: results.map((each) => resultOf(each, settings.debugMessages)), ...delta } };
  },
};

/** A member of a body that may be invalid. */
function member(input: unknown, name: string): unknown {
  return typeof input === "object" && input !== null && Object.hasOwn(input, name)
    ? (input as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

/** The name in a body. The empty name, of no schema, for another value than a text. */
function schemaNameOf(name: unknown): string | undefined {
  return name === undefined || typeof name === "string" ? name : "";
}

function pullOf(options: z.output<typeof pullRequest>, named: string | undefined): PullOptions | ServiceError {
  return options.schemaName === undefined || named === undefined || options.schemaName === named
    ? options
    : new ServiceError(332, { detail: "at /schemaName: Path and body name different schemas." });
}

function pushOf({ ops, atomic = false, query, limit }: z.output<typeof pushRequest>): PushOptions {
  return { changes: ops.map(changeOf), atomic, query: query as PushOptions["query"], limit };
}

/** An invalid change fails alone. */
function changeOf(checked: Checked<z.output<typeof pushedChange>>): PushedChange {
  if ("fault" in checked) {
    const { id, uuid } = checked.input as { id: string; uuid: string };
    return { id, uuid: uuid.toLowerCase(), change: checked.fault };
  }
  const { id, uuid: spelled, op, fields, ...members } = checked.value;
  const uuid = spelled.toLowerCase();
  try {
    changeUuid(uuid);
    if (op === "delete") return { id, uuid, change: { op, uuid } };
    if (fields === undefined) throw new ServiceError(332, { detail: "at /fields" });
    return { id, uuid, change: { ...putChange({ ...members, fields }), uuid } };
  } catch (error) {
    if (error instanceof ServiceError) return { id, uuid, change: error };
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

/** The change of a parsed body. */
function putChange(input: z.output<typeof syncPutRequest>) {
  const { syncVersion, className, fields, base = {} } = input;
  return {
    op: "put",
    version: Number(syncVersion),
    className,
    fields: fields as InputAttributes,
    base: base as InputAttributes,
  } as const;
}
