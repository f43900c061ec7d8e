import type { ErrorCode } from "@sallyport/storage/errors";
import * as z from "zod";
import { later, refusedWith } from "./fields.ts";
import { objectSchema } from "./objects/objects.ts";
import { checkEnvelopeLimits } from "./json.ts";
import { operations } from "./operations.ts";

const wrong = refusedWith(332);

/** Maximum `limit` of a pull. */
export const maxSyncLimit = 5_000;

/** Maximum seconds of a long poll. */
export const maxSyncWait = 25;

/** Limit of a put: bytes of the body, which has the fields of an object and their values as last seen. */
export const maxPut = { bytes: 3 * 1024 * 1024 } as const;

/** Limits of a push: changes, and bytes of the body. */
export const maxPush = { changes: 1_000, bytes: 8 * 1024 * 1024 } as const;

/** Precedence of the error codes of these bodies. */
export const syncFaultOrder: readonly ErrorCode[] = [338, 330, 332, 329];

const versionPattern = /^(?:0|[1-9]\d{0,63})$/;
const objectVersionPattern = /^(?:0|[1-9]\d{0,15})$/;

const isMissing = ({ input }: { readonly input?: unknown }) => (input === undefined ? "338" : "330");

const givenVersion = z
  .string({ error: isMissing })
  .regex(versionPattern, refusedWith(330))
  .describe("Version of the client, an integer as text. `0` if it has never synchronized.");

const givenObjectVersion = z
  .string({ error: isMissing })
  .regex(objectVersionPattern, refusedWith(330))
  .describe("`~Version` of the object as last seen, as text. `0` for a new object.");

const query = z
  .record(z.string(), z.unknown(), refusedWith(329))
  .optional()
  .describe("`where` and `oids` as in lists. Paths through references are not allowed.");

const limit = z
  .int(wrong)
  .min(1, wrong)
  .max(maxSyncLimit, wrong)
  .optional()
  .describe("Maximum number of changes. Default: that of the schema, usually 500.");

const schemaName = z.string(refusedWith(333));

/** Body of a pull. */
export const pullRequest = z
  .strictObject(
    {
      schemaName: schemaName.optional().describe("Name of the schema, if the path has none."),
      syncVersion: givenVersion,
      query,
      limit,
      cursor: z.string(wrong).optional().describe("`cursor` of the previous page, with the same other members."),
      wait: z
        .number(wrong)
        .min(0, wrong)
        .max(maxSyncWait, wrong)
        .optional()
        .describe("Seconds to wait for a change if there is none. Default: 0."),
    },
    wrong,
  )
  .meta({ id: "PullRequest" });

/** A synchronized object: `~Version` and the fields of the schema. A reference is `{"~UUID": …}`. */
export const syncObjectSchema = objectSchema
  .extend({
    "~UUID": z.string().describe("UUID of the object."),
    "~Version": z.int().describe("Version of the object."),
  })
  .describe('Meta-fields and the fields of the schema. A reference is `{"~UUID": …}`, a collection an array of these.')
  .meta({ id: "SyncObject" });

const delta = {
  database: z.string().describe("Another text after a restore of the database."),
  changed: z.array(syncObjectSchema),
  deleted: z.array(z.strictObject({ uuid: z.string(), version: z.int().describe("Version of the deletion.") })),
  excluded: z.array(z.string()).describe("UUIDs of objects that exist, but no longer for the caller or the filter."),
  hasMore: z.boolean(),
  cursor: z.string().optional().describe("For the next page, if `hasMore`."),
  syncVersion: z.string().optional().describe("The new version of the client, on the last page."),
  checksum: z
    .string()
    .describe(
      "SHA-256, in lowercase hexadecimal digits, of the lines `c <uuid> <version>`, `d <uuid> <version>` and `x <uuid>` of this page, each with a line feed.",
    ),
};

/** A page of changes. */
export const pullResponse = z.object(delta).meta({ id: "PullPage" });

/** The schemas of the database that the caller can read. */
export const syncSchemasResponse = z
  .object({
    schemas: z.array(
      z
        .object({
          name: z.string(),
          classes: z.array(z.string()).describe("Names of the classes that the caller can read."),
          direction: z.enum(["pull", "push", "both"]),
          syncVersion: z.string().describe("The current version, for a client without a `query`."),
          oldestSyncVersion: z.string().describe("The oldest version that can be synchronized."),
          count: z.int().describe("Number of objects for the caller."),
          broken: z
            .string()
            .optional()
            .describe("For administrators: why devices cannot synchronize the schema any more."),
        })
        .meta({ id: "SyncSchema" }),
    ),
  })
  .meta({ id: "SyncSchemas" });

const uuid = z.string(wrong).describe("UUID of the object. The client chooses that of a new object.");
const values = z.record(z.string(), z.unknown(), wrong);

const put = {
  syncVersion: givenObjectVersion,
  className: z.string(wrong).optional().describe("Class of a new object."),
  fields: values.describe("The changed attributes by name."),
  base: values.optional().describe("Their values as last seen."),
};

/** Body that creates or changes one object. */
export const syncPutRequest = z.strictObject({ uuid: uuid.optional(), ...put }, wrong).meta({ id: "SyncPutRequest" });

/** Body that deletes one object. */
export const syncDeleteRequest = z
  .strictObject({ uuid: uuid.optional(), syncVersion: givenObjectVersion }, wrong)
  .meta({ id: "SyncDeleteRequest" });

/** One change of a push. */
export const pushedChange = z
  .strictObject(
    {
      id: z.string(wrong).min(1, wrong).max(128, wrong).describe("Chosen by the client. A repetition has the same id."),
      op: z.enum(["put", "delete"], wrong),
      uuid,
      ...put,
      fields: put.fields.optional(),
    },
    wrong,
  )
  .meta({ id: "SyncOperation" });

/** Members of a put, and of a change, that are as large and as deep as the body that creates an object. */
const valueMembers = ["fields", "base"];

/** The members that a change needs for a result of its own. */
const named = z.looseObject({ id: pushedChange.shape.id, uuid }, wrong);

const checkedChange = later(pushedChange, {
  order: syncFaultOrder,
  prepare: (body) => {
    checkEnvelopeLimits(body, valueMembers);
    return body;
  },
});

/** Body of a push. An invalid change fails alone if it has an id and a UUID. */
export const pushRequest = z
  .strictObject(
    {
      syncVersion: givenVersion,
      atomic: z.boolean(wrong).optional().describe("Whether all changes succeed or none has an effect."),
      ops: z
        .array(checkedChange, wrong)
        .check(({ value, issues }) => {
          for (const [index, each] of value.entries()) {
            const faults = "fault" in each ? (named.safeParse(each.input).error?.issues ?? []) : [];
            for (const { message, path } of faults)
              issues.push({ code: "custom", message, path: [index, ...path], input: value });
          }
        })
        .max(maxPush.changes, wrong),
      query,
      limit,
    },
    wrong,
  )
  .meta({ id: "PushRequest" });

const conflict = z
  .object({
    field: z.string(),
    theirs: z.unknown().optional().describe("The value of the server. Absent if the answer would be too large."),
    kept: z.enum(["mine", "theirs", "macro"]),
  })
  .meta({ id: "SyncConflict" });

const outcome = {
  objectId: z.string(),
  version: z.int().describe("The new version of the object."),
  merged: z.array(z.string()).describe("Fields that the server had changed, too."),
  conflicts: z.array(conflict),
  object: syncObjectSchema.optional().describe("The object, if it is not what the client can compute itself."),
};

/** Result of a put. */
export const syncPutResponse = z.object({ uuid: z.string(), ...outcome }).meta({ id: "SyncPut" });

/** Result of a deletion. */
export const syncDeleteResponse = z
  .object({ uuid: z.string(), version: z.int().describe("Version of the deletion.") })
  .meta({ id: "SyncDelete" });

/** Result of a push: one result per change in order, and the changes of the server since the version of the client. */
export const pushResponse = z
  .object({
    results: z.array(
      z
        .object({
          id: z.string(),
          uuid: z.string(),
          internalStatus: z.string().describe("`0` for a success, else the error code."),
          statusMessage: z.string().describe("`ok` for a success, else the name of the error."),
          debugMessage: z.string().optional().describe("The exact problem, if debug messages are enabled."),
          ...z.object(outcome).partial().shape,
        })
        .meta({ id: "SyncResult" }),
    ),
    ...delta,
  })
  .meta({ id: "PushResult" });

export type PullRequestData = z.input<typeof pullRequest>;
export type PullPageData = z.infer<typeof pullResponse>;
export type SyncObjectData = z.infer<typeof syncObjectSchema>;
export type SyncSchemasData = z.infer<typeof syncSchemasResponse>;
export type SyncPutRequestData = z.input<typeof syncPutRequest>;
export type SyncPutData = z.infer<typeof syncPutResponse>;
export type SyncDeleteRequestData = z.input<typeof syncDeleteRequest>;
export type SyncDeleteData = z.infer<typeof syncDeleteResponse>;
export type PushedChangeData = z.input<typeof pushedChange>;
export type PushRequestData = z.input<typeof pushRequest>;
export type PushResultData = z.infer<typeof pushResponse>;

/** A body whose faults come after those of the schema that the path names. */
function laterBody<Schema extends z.ZodType>(schema: Schema, prepare?: (body: unknown) => unknown) {
  return { json: later(schema, { order: syncFaultOrder, ...(prepare && { prepare }) }), any: true } as const;
}

/** The members of a body, none if it is not an object. */
const membersOf = (body: unknown) => (typeof body === "object" && body !== null && !Array.isArray(body) ? body : {});

const pulling = {
  access: "session",
  effect: "read",
  description: [
    "Returns the changes since the version of the client, in pages. The client stores `syncVersion` of the last page for the next pull.",
    "With `wait`, an empty result waits for a change. Error 330 with the header `Sync-Restart: 1` means that the client pulls from version `0`.",
  ].join(" "),
  body: laterBody(pullRequest, membersOf),
  data: pullResponse,
  compressed: true,
} as const;

const pullErrors = [307, 329, 330, 332, 333, 338, 611, 716, 717, 721] as const;

const putErrors = [307, 330, 332, 333, 334, 336, 338, 404, 502, 610, 611, 710, 713, 716, 717, 721] as const;

const putting = {
  path: "/v1/sync/{schema}/{uuid}",
  access: "session",
  summary: "Create or change an object of a schema",
  description: [
    "Merges the fields with those that the server has changed since: a field that still has its `base` gets the new value.",
    "About the others the conflict policy of the schema decides. `PUT` and `PATCH` are the same.",
  ].join(" "),
  body: {
    ...laterBody(syncPutRequest),
    limit: maxPut.bytes,
    checkLimits: (body: unknown) => checkEnvelopeLimits(body, valueMembers),
  },
  data: syncPutResponse,
  errors: putErrors,
} as const;

/** Synchronization: schemas, pull, writes and push. */
export const syncOperations = operations("Synchronization", {
  listSyncSchemas: {
    method: "GET",
    path: "/v1/sync",
    access: "session",
    summary: "List the schemas of synchronization",
    description:
      "Schemas without a class that the caller can read are absent. Only administrators see those that do not fit the classes any more.",
    data: syncSchemasResponse,
    errors: [611, 716, 717, 721],
  },
  pullNamed: {
    method: "POST",
    path: "/v1/sync",
    ...pulling,
    summary: "Pull changes of the schema in the body",
    errors: [...pullErrors, 335],
  },
  pull: {
    method: "POST",
    path: "/v1/sync/{schema}",
    ...pulling,
    summary: "Pull changes",
    errors: pullErrors,
  },
  putSynced: { method: "PUT", ...putting },
  patchSynced: { method: "PATCH", ...putting },
  deleteSynced: {
    method: "DELETE",
    path: "/v1/sync/{schema}/{uuid}",
    access: "session",
    summary: "Delete an object of a schema",
    description: "Deletes the object permanently, even if it has another version by now.",
    body: laterBody(syncDeleteRequest),
    data: syncDeleteResponse,
    errors: [330, 332, 333, 334, 336, 338, 404, 609, 611, 710, 716, 717, 718, 720, 721],
  },
  pushChanges: {
    method: "POST",
    path: "/v1/sync/{schema}/push",
    access: "session",
    inMulti: false,
    summary: "Push changes of a client",
    description: [
      "Applies the changes in order, and returns a result for each. A failure does not affect the others.",
      "With `atomic`, all share one transaction, and the first failure is the answer. A repeated change, with the same id,",
      "gets its result again. The answer also has the changes since `syncVersion`, as a pull, without those of this push.",
    ].join(" "),
    body: {
      ...laterBody(pushRequest),
      limit: maxPush.bytes,
      // A change over the limits fails alone.
      checkLimits: (body) => checkEnvelopeLimits(body, ["ops"], () => {}),
    },
    data: pushResponse,
    compressed: true,
    errors: [...putErrors, 329, 609, 714, 716, 718, 719, 720],
  },
});
