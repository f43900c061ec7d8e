import { z } from "zod";
import { parseJsonParameter } from "../fields/json-parameter.ts";
import { page, perPage } from "./page-numbers.ts";

const mostFields = 200;
const longestPath = 400;

/** What a custom serialization writes: an attribute or `~UUID`, or with `fields` what is written of its targets. */
export type SerializationField =
  | string
  | {
      readonly name: string;
      readonly page?: number | undefined;
      readonly perPage?: number | undefined;
      readonly fields?: readonly SerializationField[] | undefined;
    };

const path = z
  .string()
  .min(1)
  .max(longestPath)
  .describe(
    "Name of an attribute or `~UUID`, or up to five names joined by dots that lead to one through references and collections.",
  );

const field: z.ZodType<SerializationField> = z
  .union([
    path,
    z.strictObject({
      name: path,
      page: page.optional().describe("Of a collection: which page of its members is written, from 0."),
      perPage: perPage.optional().describe("Of a collection: members on a page, 50 unless given."),
      get fields() {
        return fields.optional().describe("What is written of the targets of a reference or a collection.");
      },
    }),
  ])
  .meta({ id: "SerializationField" });

const fields = z.array(field).max(mostFields).meta({ id: "SerializationFields" });

const serialization = z
  .strictObject({
    type: z
      .enum(["full", "empty", "oid", "custom", "macro"])
      .optional()
      .describe(
        "`full`, unless given: all attributes; `empty`: meta-fields only; `oid`: `~ObjectID` only; `custom`: meta-fields and `fields`; `macro`: meta-fields and what hooks of the database make of them.",
      ),
    depth: z
      .number()
      .int()
      .min(0)
      .max(5)
      .optional()
      .describe(
        "How far references are followed, 2 unless given; further ones show meta-fields only. With `custom` it counts for links that no fields are named of.",
      ),
    fields: fields
      .optional()
      .describe("With `custom`, and only then: what is written. 200 names at most, those inside of others included."),
  })
  .check(({ value, issues }) => {
    if ((value.type === "custom") === (value.fields !== undefined)) return;
    issues.push({ code: "custom", message: "fields belong to custom", input: value, path: ["fields"] });
  });

/** Members that clients of other servers send, and that mean nothing here. */
const meaningless: ReadonlySet<string> = new Set(["macroLevel", "getSize", "securityRights"]);

/** What is meant by the members that existing clients send. */
function inOwnWords({ fieldList, ...given }: Record<string, unknown>): Record<string, unknown> {
  const named = fieldList === undefined || "fields" in given ? given : { ...given, fields: fieldList };
  return Object.fromEntries(Object.entries(named).filter(([name]) => !meaningless.has(name)));
}

/** The `serialization` parameter: a JSON object as text. */
export const serializationParameter = z
  .string()
  .transform((text) => inOwnWords(parseJsonParameter("serialization", text, 307)))
  .pipe(serialization)
  .meta({
    description:
      'How objects are written: `{"type": "full", "depth": 2}`, `{"type": "custom", "fields": ["Number", "Customer.Name"]}`.',
    examples: [{ type: "full", depth: 2 }],
  });

/** How objects are to be written. */
export type Serialization = Readonly<Omit<z.input<typeof serialization>, "fields">> & {
  readonly fields?: readonly SerializationField[] | undefined;
};
