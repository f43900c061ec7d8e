import * as z from "zod";
import { flag } from "./fields.ts";
import { operations } from "./operations.ts";

/** Type of an attribute value. */
export const attributeType = z.enum(["string", "number", "boolean", "date", "json", "file", "reference", "collection"]);

/** Permission of a group on the objects of a class. */
export const permission = z.enum(["read", "create", "write", "delete"]);

/** Effect of an object's deletion on the objects that reference it. */
export const deleteRule = z
  .enum(["refuse", "clear", "cascade"])
  .describe(
    "Effect of the deletion of the referenced object: `refuse` prevents it, `clear` removes the value, `cascade` also deletes the referencing object.",
  );

const attribute = z
  .strictObject({
    name: z.string().describe("A letter, then letters, digits and `_`, at most 63 in all."),
    type: attributeType,
    target: z.string().optional().describe("Target class of a reference or a collection."),
    mandatory: z.boolean().optional().describe("Whether every object requires a value."),
    indexed: z
      .boolean()
      .optional()
      .describe(
        "Whether an index speeds up filters and sorting by this attribute. Not supported for `json` and `collection`.",
      ),
    onDelete: deleteRule.optional(),
    read: z
      .array(z.string())
      .optional()
      .describe(
        "Ids or UUIDs of the user groups with read access. Administrators always have it. Defaults to all callers with read access to the class. Not allowed on mandatory attributes.",
      ),
  })
  .meta({ id: "AttributeDefinition" });

const right = z
  .strictObject({
    group: z.string().describe("Id or UUID of a user group, or `*` for all users."),
    permissions: z.array(permission),
  })
  .meta({ id: "ClassRight" });

const maxTitle = 400;

const title = z
  .string()
  .max(maxTitle)
  .describe(
    "Path to the value that names an object, through at most four references: `Name`, `Customer.Name`. A string, a number or a date. A subclass without a title has that of its base class.",
  );

/** Body that defines a class. It replaces the whole definition; omitted parts are empty. */
export const classDefinition = z
  .strictObject({
    base: z.string().nullable().default(null).describe("Base class. The class inherits its attributes."),
    title: title.optional(),
    attributes: z.array(attribute).default([]).describe("Own attributes. Inherited ones can be omitted."),
    rights: z
      .array(right)
      .default([])
      .describe("Rights of groups. Without any, only administrators can access the objects."),
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
      .describe("Target class of a reference or a collection. `null` if the caller cannot read it."),
    mandatory: z.boolean(),
    indexed: z.boolean(),
    indexState: z
      .enum(["ready", "building"])
      .optional()
      .describe("Whether the indexes of the class and its subclasses are built. Only on indexed attributes."),
    onDelete: deleteRule.optional(),
    read: z
      .array(z.string())
      .optional()
      .describe("Ids of the groups with read access, if it is restricted. For administrators only."),
    inherited: z.boolean().describe("Whether a base class declares it."),
  })
  .meta({ id: "AttributeStructure" });

const brokenSchemas = z
  .array(z.string())
  .optional()
  .describe("Names of the schemas of synchronization that the change has broken. Only if there are any.");

/** Query parameters of a change of the classes. */
export const modelChangeParameters = z.object({
  force: flag.default(false).describe("Makes the change even if it breaks schemas of synchronization."),
});

/** `data` of the removal of a class. */
export const removedClass = z.object({ brokenSchemas }).meta({ id: "RemovedClass" });

/** A class as visible to the caller. */
export const classStructure = z
  .object({
    name: z.string(),
    base: z.string().nullable(),
    title: title.optional(),
    builtIn: z
      .boolean()
      .describe("Whether the class is built in. A built-in class can get attributes but cannot be removed."),
    attributes: z.array(attributeStructure).describe("All attributes, inherited ones first."),
    permissions: z
      .array(permission)
      .describe("Rights of the caller on objects of the class. The readers of an object can restrict them."),
    rights: z
      .array(z.object({ group: z.string(), permissions: z.array(permission) }))
      .optional()
      .describe("Rights by group id. `*` stands for all users. For administrators only."),
  })
  .meta({ id: "ClassStructure" });

/** `data` of a change of a class. */
export const changedClass = classStructure.extend({ brokenSchemas }).meta({ id: "ChangedClass" });

/** `data` of the class list. */
export const modelStructure = z.object({ classes: z.array(classStructure) }).meta({ id: "ModelStructure" });

/** A class as visible to the caller. */
export type ClassStructureData = z.infer<typeof classStructure>;

/** The classes that the caller can read. */
export type ModelStructureData = z.infer<typeof modelStructure>;

const path = "/v1/model/structure/{className}";

/** The classes. `ETag` is the generation of the model, which rises with every change of a class. */
export const modelOperations = operations("Model", {
  getStructure: {
    method: "GET",
    path: "/v1/model/structure",
    access: "session",
    summary: "Get the classes",
    description: "Returns the classes that the caller can read, with their attributes and the rights of the caller.",
    data: modelStructure,
    versioned: true,
  },
  putClass: {
    method: "PUT",
    path,
    access: "session",
    effect: "model",
    summary: "Create or replace a class",
    description:
      "For administrators only. Additions take effect without downtime. A change that would invalidate or remove stored values fails with 307 and the number of affected objects. So does one that would break a schema of synchronization, unless `force` is `true`.",
    query: modelChangeParameters,
    body: { json: classDefinition },
    data: changedClass,
    versioned: true,
    conditional: true,
    errors: [404, 713],
  },
  removeClass: {
    method: "DELETE",
    path,
    access: "session",
    effect: "model",
    summary: "Delete a class",
    description:
      "For administrators only. The class must have no objects, subclasses and attributes that reference it. If a schema of synchronization needs it, `force` must be `true`.",
    query: modelChangeParameters,
    data: removedClass,
    versioned: true,
    conditional: true,
    errors: [404, 713],
  },
});
