import { z } from "zod";

const metaFields = {
  "~ClassName": z.string().describe("Class of the object."),
  "~ObjectID": z.string().describe("Id of the object: base 36, upper case."),
  "~StoreTime": z.string().describe("Last write, `yyyyMMddTHHmmss+hh:mm`."),
};

/** A serialised object: its meta-fields and the attributes of its class. */
export const objectSchema = z.looseObject(metaFields).meta({ id: "Object" });

/** A list of serialised objects. */
export const objectListSchema = z
  .object({
    "~Count": z.number().int().describe("Objects that match."),
    "~UnfilteredCount": z.number().int().describe("Objects of the class that the caller may read."),
    "~Elements": z.array(objectSchema),
  })
  .meta({ id: "ObjectList" });
