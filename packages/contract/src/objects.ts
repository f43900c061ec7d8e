import * as z from "zod";

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

/** A page of the recycle bin. */
export const trashSchema = z
  .object({
    "~Cursor": cursor,
    "~Elements": z.array(
      z
        .strictObject({
          ...metaFields,
          "~UUID": z.string().describe("UUID of the object, in lowercase."),
          "~StoreTime": z.string().describe("Time of the deletion, `yyyyMMddTHHmmss+hh:mm`."),
          "~DeletedBy": z.string().nullable().describe("Id of the user who deleted it. `null` if unknown."),
        })
        .meta({ id: "RecycledObject" }),
    ),
  })
  .meta({ id: "Recycler" });

/** A page of serialized objects. */
export const objectListSchema = z
  .object({
    "~Count": z.number().int().describe("Number of matching objects."),
    "~UnfilteredCount": z.number().int().describe("Number of objects of the class that the caller can read."),
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

/** A page of the recycle bin. */
export type TrashData = z.infer<typeof trashSchema>;

/** Number of objects that a request changed. */
export const countResponse = z
  .object({ "~Count": z.number().int().min(0).describe("Number of updated objects.") })
  .meta({ id: "Count" });

/** Number of objects that a request purged. */
export const purgeResponse = z
  .object({ "~Count": z.number().int().min(0).describe("Number of permanently deleted objects.") })
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
  })
  .meta({ id: "Lock" });

/** Lock state of an object. */
export type LockData = z.infer<typeof lockResponse>;
