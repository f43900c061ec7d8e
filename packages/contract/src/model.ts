import * as z from "zod";

/** Type of an attribute value. */
export const attributeType = z.enum(["string", "number", "boolean", "date", "json", "file", "reference", "collection"]);

/** Permission of a group on the objects of a class. */
export const permission = z.enum(["read", "create", "write", "delete"]);

/** Effect of an object's deletion on the objects that reference it. */
export const deleteRule = z
  .enum(["refuse", "clear", "cascade"])
  .describe(
    "What happens when the object that it points to is deleted: that is refused, the value is taken out, or the object that points is deleted, too.",
  );

const attribute = z
  .strictObject({
    name: z.string().describe("A letter, then letters, digits and `_`, at most 63 in all."),
    type: attributeType,
    target: z.string().optional().describe("Of a reference or a collection: the class that it points to."),
    mandatory: z.boolean().optional().describe("Whether every object must have a value."),
    indexed: z
      .boolean()
      .optional()
      .describe("Whether objects are found and sorted by it quickly. Not for `json` and `collection`."),
    onDelete: deleteRule.optional(),
    read: z
      .array(z.string())
      .optional()
      .describe(
        "Ids or UUIDs of user groups with read access; administrators always have it. By default every caller with read access to the class. Not allowed on mandatory attributes.",
      ),
  })
  .meta({ id: "AttributeDefinition" });

const right = z
  .strictObject({
    group: z.string().describe("Id or UUID of a user group; `*` for everybody who is logged in."),
    permissions: z.array(permission),
  })
  .meta({ id: "ClassRight" });

/** Body that defines a class. It replaces the whole definition; omitted parts are empty. */
export const classDefinition = z
  .strictObject({
    base: z.string().nullable().default(null).describe("The class whose attributes it inherits."),
    attributes: z.array(attribute).default([]).describe("Its own attributes; inherited ones need not stand here."),
    rights: z
      .array(right)
      .default([])
      .describe("What groups may do. Without any, only administrators see its objects."),
  })
  .meta({ id: "ClassDefinition" });

/** Definition of an attribute. */
export type AttributeData = Readonly<z.input<typeof attribute>>;

/** Permissions of a group on the objects of a class. */
export type RightData = Readonly<Omit<z.input<typeof right>, "permissions">> & {
  readonly permissions: readonly z.infer<typeof permission>[];
};

/** Definition of a class. */
export type ClassDefinitionData = Readonly<Omit<z.input<typeof classDefinition>, "attributes" | "rights">> & {
  readonly attributes?: readonly AttributeData[] | undefined;
  readonly rights?: readonly RightData[] | undefined;
};

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

/** A class as visible to the caller. */
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

/** `data` of the class list. */
export const modelStructure = z.object({ classes: z.array(classStructure) }).meta({ id: "ModelStructure" });

/** A class as visible to the caller. */
export type ClassStructureData = z.infer<typeof classStructure>;

/** The classes that the caller can read. */
export type ModelStructureData = z.infer<typeof modelStructure>;
