import { z } from "zod";

/** What kind of value an attribute has. */
export const attributeType = z.enum(["string", "number", "boolean", "date", "json", "file", "reference", "collection"]);

/** What a group may do with the objects of a class. */
export const permission = z.enum(["read", "create", "write", "delete"]);

/** What the deletion of an object means to those that point to it. */
export const deleteRule = z
  .enum(["refuse", "clear", "cascade"])
  .describe(
    "What happens when the object that it points to is deleted: that is refused, the value is taken out, or the object that points is deleted, too.",
  );
