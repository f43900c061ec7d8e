import { z } from "zod";
import { attributeType, deleteRule, permission } from "../words.ts";

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

/** Body that defines a class: all of it, what is left out is none. */
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

/** An attribute as it is to be. */
export type AttributeData = Readonly<z.input<typeof attribute>>;

/** What a group may do with the objects of a class. */
export type RightData = Readonly<Omit<z.input<typeof right>, "permissions">> & {
  readonly permissions: readonly z.infer<typeof permission>[];
};

/** A class as it is to be. */
export type ClassDefinitionData = Readonly<Omit<z.input<typeof classDefinition>, "attributes" | "rights">> & {
  readonly attributes?: readonly AttributeData[] | undefined;
  readonly rights?: readonly RightData[] | undefined;
};
