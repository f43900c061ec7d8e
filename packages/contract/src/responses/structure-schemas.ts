import { z } from "zod";
import { attributeType, deleteRule, permission } from "../words.ts";

const attributeStructure = z
  .object({
    name: z.string(),
    type: attributeType,
    target: z
      .string()
      .nullable()
      .optional()
      .describe("Of references and collections: the class that they point to; `null` if the caller may not read it."),
    mandatory: z.boolean(),
    indexed: z.boolean(),
    indexState: z
      .enum(["ready", "building"])
      .optional()
      .describe("Of an indexed attribute: whether the indexes of the class and of those below it are there."),
    onDelete: deleteRule.optional(),
    read: z
      .array(z.string())
      .optional()
      .describe("For administrators: ids of the groups with read access, if it is restricted."),
    inherited: z.boolean().describe("Whether a base declares it."),
  })
  .meta({ id: "AttributeStructure" });

/** A class as the caller sees it. */
export const classStructure = z
  .object({
    name: z.string(),
    base: z.string().nullable(),
    builtIn: z.boolean().describe("Whether every database has it; then it can be added to, but not removed."),
    attributes: z.array(attributeStructure).describe("Inherited ones first."),
    permissions: z
      .array(permission)
      .describe("What the caller may do with objects of the class. An object can have a list of readers besides."),
    rights: z
      .array(z.object({ group: z.string(), permissions: z.array(permission) }))
      .optional()
      .describe("For administrators: what groups may do, by the ids of their objects; `*` is everybody."),
  })
  .meta({ id: "ClassStructure" });

/** `data` of the question for the classes. */
export const modelStructure = z.object({ classes: z.array(classStructure) }).meta({ id: "ModelStructure" });
