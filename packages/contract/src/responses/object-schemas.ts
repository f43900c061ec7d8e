import { z } from "zod";

const metaFields = {
  "~ClassName": z.string().describe("Class of the object."),
  "~ObjectID": z.string().describe("Id of the object: base 36, upper case."),
  "~StoreTime": z.string().describe("Last write, `yyyyMMddTHHmmss+hh:mm`."),
};

const uuid = z
  .string()
  .optional()
  .describe("UUID of the object. Objects that were asked for have it; those in them, where `custom` fields name it.");

/** A serialised object: its meta-fields and the attributes of its class. */
export const objectSchema = z
  .looseObject({
    "~ClassName": metaFields["~ClassName"],
    "~ObjectID": metaFields["~ObjectID"],
    "~UUID": uuid,
    "~StoreTime": metaFields["~StoreTime"],
  })
  .meta({ id: "Object" });

/** The user object of a log-in answer. */
export const ownUserSchema = z
  .looseObject(metaFields)
  .describe("The user's own object: `Name`, `Description`, `Groups`, `Employee`, and what else its class has.")
  .meta({ id: "OwnUser" });

/** An object of which only the id was asked for. */
export const bareObjectSchema = z
  .strictObject({ "~ObjectID": metaFields["~ObjectID"] })
  .describe("An object by `serialization` of type `oid`.")
  .meta({ id: "BareObject" });

/** A page of the recycle bin. */
export const recyclerSchema = z
  .object({
    "~Cursor": z
      .string()
      .optional()
      .describe("Where the list goes on, as `cursor` of the next request; there when the page is full."),
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

/** A list of serialised objects. */
export const objectListSchema = z
  .object({
    "~Count": z.number().int().describe("Objects that match."),
    "~UnfilteredCount": z.number().int().describe("Objects of the class that the caller may read."),
    "~CountCapped": z
      .literal(true)
      .optional()
      .describe("`~Count` stops at 5,000: then that many means that many or more."),
    "~Cursor": z
      .string()
      .optional()
      .describe("Where the list goes on, as `cursor` of the next request; there when the page is full."),
    "~Elements": z.array(z.union([objectSchema, bareObjectSchema])),
  })
  .meta({ id: "ObjectList" });
