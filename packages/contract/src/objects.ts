import * as z from "zod";

/** Body that creates or updates an object. The class defines the valid attributes and their types. */
export const attributesRequest = z
  .looseObject({})
  .describe(
    'Attributes of the object by name. A reference is an id, a UUID, or `{"~ObjectID": …}`; a collection a list of those.',
  )
  .meta({ id: "Attributes" });

const metaFields = {
  "~ClassName": z.string().describe("Class of the object."),
  "~ObjectID": z.string().describe("Id of the object: base 36, upper case."),
  "~StoreTime": z.string().describe("Last write, `yyyyMMddTHHmmss+hh:mm`."),
};

const uuid = z
  .string()
  .optional()
  .describe("UUID of the object. Objects that were asked for have it; those in them, where `custom` fields name it.");

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
  .describe("The user's own object: `Name`, `Description`, `Groups`, `Employee`, and what else its class has.")
  .meta({ id: "OwnUser" });

/** An object serialized as its id only. */
export const bareObjectSchema = z
  .strictObject({ "~ObjectID": metaFields["~ObjectID"] })
  .describe("An object by `serialization` of type `oid`.")
  .meta({ id: "BareObject" });

const cursor = z
  .string()
  .optional()
  .describe("Where the list goes on, as `cursor` of the next request; there when the page is full.");

/** A page of the recycle bin. */
export const trashSchema = z
  .object({
    "~Cursor": cursor,
    "~Elements": z.array(
      z
        .strictObject({
          ...metaFields,
          "~UUID": z.string().describe("UUID of the object, in lower case."),
          "~StoreTime": z.string().describe("When it was deleted, `yyyyMMddTHHmmss+hh:mm`."),
          "~DeletedBy": z.string().nullable().describe("Id of the user who deleted it; `null` if that is unknown."),
        })
        .meta({ id: "RecycledObject" }),
    ),
  })
  .meta({ id: "Recycler" });

/** A page of serialized objects. */
export const objectListSchema = z
  .object({
    "~Count": z.number().int().describe("Objects that match."),
    "~UnfilteredCount": z.number().int().describe("Objects of the class that the caller may read."),
    "~CountCapped": z
      .literal(true)
      .optional()
      .describe("`~Count` stops at 5,000: then that many means that many or more."),
    "~Cursor": cursor,
    "~Elements": z.array(z.union([objectSchema, bareObjectSchema])),
  })
  .meta({ id: "ObjectList" });

/** A serialized object: its meta-fields and the attributes of its class. */
export type ObjectData = z.infer<typeof objectSchema>;

/** A page of serialized objects. */
export type ObjectListData = z.infer<typeof objectListSchema>;

/** A page of the recycle bin. */
export type TrashData = z.infer<typeof trashSchema>;

/** Number of objects that a request changed. */
export const countResponse = z
  .object({ "~Count": z.number().int().min(0).describe("Objects that were changed.") })
  .meta({ id: "Count" });

/** Number of objects that a request purged. */
export const purgeResponse = z
  .object({ "~Count": z.number().int().min(0).describe("Objects that were deleted for good.") })
  .meta({ id: "PurgeCount" });

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
        "Ids or UUIDs of users and groups, the caller or a group of the caller among them unless an administrator asks; `null` for all whom the class lets.",
      ),
  })
  .meta({ id: "GivenReaders" });

/** The readers that an object is restricted to. */
export const readersResponse = z
  .object({
    readers: z.array(z.string()).nullable().describe("Ids of users and groups; `null` for all whom the class lets."),
  })
  .meta({ id: "Readers" });

/** The readers that an object is restricted to. */
export type ReadersData = z.infer<typeof readersResponse>;

/** Lock state of an object. */
export const lockResponse = z
  .object({
    isLocked: z.boolean(),
    messages: z.array(z.string()).describe("Whose the lock is and since when, in words."),
  })
  .meta({ id: "Lock" });

/** Lock state of an object. */
export type LockData = z.infer<typeof lockResponse>;
