import * as z from "zod";
import { statusSchema } from "../envelope.ts";
import { later } from "../fields.ts";
import { checkEnvelopeLimits, checkJsonLimits } from "../json.ts";
import {
  countParameters,
  listParameters,
  listRequest,
  lockParameters,
  objectParameters,
  updateParameters,
} from "./object-parameters.ts";
import { operations } from "../operations.ts";

/** Body that creates or updates an object. The class defines the valid attributes and their types. */
export const attributesRequest = z
  .looseObject({})
  .describe(
    'Attributes by name. A reference is an id, a UUID or `{"~ObjectID": …}`. A collection is an array of references.',
  )
  .meta({ id: "Attributes" });

const metaFields = {
  "~ClassName": z.string().describe("Class of the object."),
  "~ObjectID": z.string().describe("Id of the object: an uppercase base-36 number."),
  "~StoreTime": z.string().describe("Time of the last write, `yyyyMMddTHHmmss+hh:mm`."),
};

const uuid = z
  .string()
  .optional()
  .describe("UUID of the object. Present in requested objects. Present in nested objects if `custom` fields name it.");

/** A serialized object: its meta-fields and the attributes of its class. */
export const objectSchema = z
  .looseObject({
    "~ClassName": metaFields["~ClassName"],
    "~ObjectID": metaFields["~ObjectID"],
    "~UUID": uuid,
    "~StoreTime": metaFields["~StoreTime"],
  })
  .meta({ id: "Object" });

/** The user object of a log-in response. */
export const ownUserSchema = z
  .looseObject(metaFields)
  .describe("Object of the user: `Name`, `Description`, `Groups`, `Employee` and the other attributes of its class.")
  .meta({ id: "OwnUser" });

/** An object serialized as its id only. */
export const bareObjectSchema = z
  .strictObject({ "~ObjectID": metaFields["~ObjectID"] })
  .describe("An object with `serialization` of type `oid`.")
  .meta({ id: "BareObject" });

const cursor = z.string().optional().describe("`cursor` of the next page. Present if the page is full.");

/** A page of serialized objects. */
export const objectListSchema = z
  .object({
    "~Count": z.number().int().optional().describe("Number of matching objects. Absent with `count=none`."),
    "~UnfilteredCount": z
      .number()
      .int()
      .optional()
      .describe("Number of objects of the class that the caller can read. Absent with `count=none`."),
    "~CountCapped": z
      .literal(true)
      .optional()
      .describe("Present with `count=capped`: `~Count` stops at 5,000, which means 5,000 or more."),
    "~Cursor": cursor,
    "~Elements": z.array(z.union([objectSchema, bareObjectSchema])),
  })
  .meta({ id: "ObjectList" });

/** A serialized object: its meta-fields and the attributes of its class. */
export type ObjectData = z.infer<typeof objectSchema>;

/** A page of serialized objects. */
export type ObjectListData = z.infer<typeof objectListSchema>;

/** Number of objects that a query matches. */
export const countedObjects = z
  .object({
    count: z.number().int().min(0).describe("Number of matching objects, or the part counted within `limit`."),
    capped: z.boolean().describe("Whether `limit` ended the count: `count` objects or more match."),
  })
  .meta({ id: "ObjectCount" });

/** Number of objects that a query matches. */
export type ObjectCountData = z.infer<typeof countedObjects>;

/** Number of objects that a request changed. */
export const countResponse = z
  .object({ "~Count": z.number().int().min(0).describe("Number of updated objects.") })
  .meta({ id: "Count" });

/** Number of objects that a request changed. */
export type CountData = z.infer<typeof countResponse>;

const maxReaders = 1_000;

/** Body that restricts an object to a list of readers. */
export const readersRequest = z
  .strictObject({
    readers: z
      .array(z.string())
      .max(maxReaders)
      .nullable()
      .describe(
        "Ids or UUIDs of users and groups. Must include the caller or a group of the caller, unless the caller is an administrator. `null` grants access to all users with read access to the class.",
      ),
  })
  .meta({ id: "GivenReaders" });

/** The readers that an object is restricted to. */
export const readersResponse = z
  .object({
    readers: z
      .array(z.string())
      .nullable()
      .describe("Ids of users and groups. `null` for all users with read access to the class."),
  })
  .meta({ id: "Readers" });

/** The readers that an object is restricted to. */
export type ReadersData = z.infer<typeof readersResponse>;

/** Lock state of an object. */
export const lockResponse = z
  .object({
    isLocked: z.boolean(),
    messages: z.array(z.string()).describe("One sentence with the owner and the time of the lock."),
    isOwn: z
      .boolean()
      .optional()
      .describe("Whether the session holds the lock. Absent if the object is not locked, like the members below."),
    since: z.string().optional().describe("Time of the lock, `yyyyMMddTHHmmss+hh:mm`."),
    userId: z
      .string()
      .optional()
      .describe("Id of the user whose session holds the lock, if the caller can see the user."),
  })
  .meta({ id: "Lock" });

/** Lock state of an object. */
export type LockData = z.infer<typeof lockResponse>;

/** A written object. */
export const writtenObjectSchema = z.union([objectSchema, bareObjectSchema]);

/** Maximum number of objects, and of bytes of their attributes, in one request that creates several. */
export const maxCreations = { items: 1_000, bytes: 8 * 1024 * 1024 } as const;

const checkedAttributes = later(attributesRequest, {
  prepare: (query) => {
    checkJsonLimits(query);
    return query;
  },
});

/** Body that creates objects. Invalid attributes fail alone. */
export const creationsRequest = z
  .array(checkedAttributes)
  .max(maxCreations.items)
  .describe("The attributes of each object, as in a request that creates one.");

/** Result of one object of a request that creates several. */
export const creationResult = z
  .object({
    httpStatus: z.int().describe("HTTP status, as if the object were created alone."),
    result: z
      .object({ status: statusSchema, data: writtenObjectSchema.optional() })
      .describe("Envelope, as if the object were created alone. Only a success has `data`: the object."),
  })
  .meta({ id: "CreationResult" });

/** Result of one object of a request that creates several. */
export type CreationResultData = z.infer<typeof creationResult>;

/** Checks the limits of a list of objects, whose attributes are values of their own. */
export function checkCreationLimits(body: unknown): void {
  if (!Array.isArray(body)) checkJsonLimits(body);
}

/** Throws 307 beyond the limits of JSON. Query and serialization are values of their own, as in a query string. */
export function checkListLimits(members: unknown): void {
  checkEnvelopeLimits(members, ["query", "serialization"]);
}

/** Reads and writes of objects. */
export const objectOperations = operations("Objects", {
  getObject: {
    method: "GET",
    path: "/v1/object/{idOrClass}",
    access: "session",
    summary: "Get an object",
    description: "Returns the object with the id or UUID. With a class name, lists the objects of the class.",
    query: objectParameters.extend(listParameters.shape),
    data: z.union([objectSchema, bareObjectSchema, objectListSchema]),
    versioned: true,
    compressed: true,
    errors: [304, 307, 308, 329, 609, 710],
  },
  listObjects: {
    method: "GET",
    path: "/v1/objects/{className}",
    access: "session",
    summary: "List objects",
    description: "Returns one page of the objects of a class and its subclasses.",
    query: listParameters,
    data: objectListSchema,
    compressed: true,
    errors: [304, 307, 308, 329, 710],
  },
  queryObjects: {
    method: "POST",
    path: "/v1/objects/{className}/query",
    access: "session",
    effect: "read",
    summary: "List objects by a query in the body",
    description:
      "Returns the same as `GET /v1/objects/{className}`. The body has the members of its query string as JSON, for queries that do not fit into an address.",
    // A query string fails by its query first.
    body: { json: listRequest, order: [329], checkLimits: checkListLimits },
    data: objectListSchema,
    compressed: true,
    errors: [304, 307, 329, 710],
  },
  countObjects: {
    method: "GET",
    path: "/v1/objects/{className}/count",
    access: "session",
    summary: "Count objects",
    description:
      "Counts the objects of a class and its subclasses. With `limit`, the answer comes in time: the count then stops with `capped`.",
    query: countParameters,
    data: countedObjects,
    errors: [304, 307, 308, 329, 710],
  },
  createObject: {
    method: "POST",
    path: "/v1/object/{idOrClass}",
    access: "session",
    idempotent: true,
    summary: "Create an object",
    description: "The path contains the name of the class.",
    query: objectParameters,
    body: { json: attributesRequest },
    data: writtenObjectSchema,
    versioned: true,
    errors: [304, 307, 308, 404, 710, 713],
  },
  createObjects: {
    method: "POST",
    path: "/v1/objects/{className}",
    access: "session",
    idempotent: true,
    inMulti: false,
    summary: "Create objects",
    description: [
      "Creates an object of the class for each element of the body, at most 1,000 in 8 MiB. Each has a result of its own, in the order of the body, and each counts as a request.",
      "An object that is refused fails alone. With `Idempotency-Key`, all are created in one transaction, and the results are stored.",
    ].join(" "),
    query: objectParameters,
    body: { json: creationsRequest, any: true, limit: maxCreations.bytes, checkLimits: checkCreationLimits },
    data: z.array(creationResult),
    errors: [304, 307, 308, 404, 710, 713],
  },
  updateObject: {
    method: "PATCH",
    path: "/v1/object/{idOrClass}",
    access: "session",
    summary: "Update an object",
    description: "Sets the attributes in the body. Other attributes keep their values.",
    query: objectParameters,
    body: { json: attributesRequest },
    data: writtenObjectSchema,
    versioned: true,
    conditional: true,
    errors: [304, 307, 308, 404, 502, 610, 710, 713],
  },
  updateObjects: {
    method: "PATCH",
    path: "/v1/objects/{className}",
    access: "session",
    summary: "Update objects",
    description:
      "Sets the attributes in the body on all objects that match the query, at most 10,000, in one transaction.",
    query: updateParameters,
    body: { json: attributesRequest },
    data: countResponse,
    conditional: true,
    errors: [304, 307, 308, 329, 404, 502, 710, 713],
  },
});

const readersPath = "/v1/object/{idOrClass}/readers";
const lockPath = "/v1/lock/object/{id}";

/** Readers and locks of objects. */
export const objectAccessOperations = operations("Objects", {
  getReaders: {
    method: "GET",
    path: readersPath,
    access: "session",
    summary: "Get the readers of an object",
    description: "Requires the right to write the object.",
    data: readersResponse,
    versioned: true,
    errors: [304, 404, 609],
  },
  setReaders: {
    method: "PUT",
    path: readersPath,
    access: "session",
    summary: "Set the readers of an object",
    description: "Restricts the object to these users and groups. Counts as a write of the object.",
    body: { json: readersRequest },
    data: readersResponse,
    versioned: true,
    conditional: true,
    errors: [304, 307, 404, 610, 713],
  },
  getLock: {
    method: "GET",
    path: lockPath,
    access: "session",
    summary: "Get the lock of an object",
    data: lockResponse,
    errors: [304, 609],
  },
  lockObject: {
    method: "POST",
    path: lockPath,
    access: "session",
    summary: "Lock an object",
    description:
      "The session holds the lock until it releases it or ends. Administrators can take over the lock of another session, whose next write fails with 713.",
    query: lockParameters,
    data: lockResponse,
    errors: [304, 307, 404, 610, 713],
  },
  unlockObject: {
    method: "DELETE",
    path: lockPath,
    access: "session",
    summary: "Unlock an object",
    description: "Administrators can release the locks of other sessions.",
    data: lockResponse,
    errors: [304, 404, 610, 713],
  },
});
