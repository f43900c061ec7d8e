import * as z from "zod";
import { flag } from "./fields.ts";
import { parseJsonParameter } from "./json.ts";

const maxPage = 10_000_000;
const maxPerPage = 1_000;

/** Page number, from 0. */
const page = z.number().int().min(0).max(maxPage);

/** Objects per page. */
const perPage = z.number().int().min(1).max(maxPerPage);

const defaultPerPage = 50;

/** A member that is only described here. It is validated later against the classes of the database. */
const described = (schema: Readonly<Record<string, unknown>>) => z.unknown().meta(schema).optional();

const texts = { type: "array", items: { type: "string" } };

const query = z.looseObject({
  where: described({ type: "object", description: 'A filter, such as `{"Color": "red", "Weight": {"$gt": 10}}`.' }),
  sort: described({
    ...texts,
    description:
      'Names of attributes to sort by, with a `-` before those that are turned round, such as `["-Weight", "Color"]`.',
  }),
  oids: described({ ...texts, description: "Ids and UUIDs that the list is restricted to." }),
});

/** The `query` parameter: a JSON object as text. Its valid members depend on the classes of the database. */
const queryParameter = z
  .string()
  .transform((text) => parseJsonParameter("query", text, 329))
  .pipe(query)
  .meta({ description: "Which objects are listed, and in which order.", examples: [{}] });

const maxFields = 200;
const maxPathLength = 400;

/** A custom field: an attribute, `~UUID`, or an object whose `fields` select the fields of its targets. */
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
  .max(maxPathLength)
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

const fields = z.array(field).max(maxFields).meta({ id: "SerializationFields" });

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

/** Members that clients of other servers send. They have no effect. */
const meaningless: ReadonlySet<string> = new Set(["macroLevel", "getSize", "securityRights"]);

/** Maps member names of existing clients to the current names. */
function renameFieldList({ fieldList, ...given }: Record<string, unknown>): Record<string, unknown> {
  const named = fieldList === undefined || "fields" in given ? given : { ...given, fields: fieldList };
  return Object.fromEntries(Object.entries(named).filter(([name]) => !meaningless.has(name)));
}

/** The `serialization` parameter: a JSON object as text. */
export const serializationParameter = z
  .string()
  .transform((text) => renameFieldList(parseJsonParameter("serialization", text, 307)))
  .pipe(serialization)
  .meta({
    description:
      'How objects are written: `{"type": "full", "depth": 2}`, `{"type": "custom", "fields": ["Number", "Customer.Name"]}`.',
    examples: [{ type: "full", depth: 2 }],
  });

/** Serialization options. */
export type Serialization = Readonly<Omit<z.input<typeof serialization>, "fields">> & {
  readonly fields?: readonly SerializationField[] | undefined;
};

const wholeNumber = z
  .string()
  .regex(/^\d{1,8}$/)
  .transform(Number);

/** Characters. The server never issues a longer cursor. */
const maxCursorLength = 12_000;

/** Query parameters of a single object. */
export const objectParameters = z.object({ serialization: serializationParameter.optional() });

/** Query parameters of an update of many objects. */
export const updateParameters = z.object({
  // The example matches no object, so trying it out changes nothing.
  query: queryParameter.meta({ description: "Which objects are changed; `{}` changes all.", examples: [{ oids: [] }] }),
});

/** Query parameters of a deletion. */
export const deleteParameters = z.object({
  moveToRecycler: flag.default(false).describe("Whether the object can be restored."),
});

/** Query parameters of a list of the recycle bin. */
export const trashParameters = z.object({
  perPage: wholeNumber.pipe(perPage).default(defaultPerPage).describe("Objects on a page."),
  cursor: z
    .string()
    .min(1)
    .max(maxCursorLength)
    .optional()
    .describe("Goes on where another page ended: its `~Cursor`."),
});

/** Query parameters of a purge of the recycle bin. */
export const purgeParameters = z.object({
  all: flag.default(false).describe("Whether what all users have recycled is purged; for administrators."),
});

/** Query parameters of a list of objects. */
export const listParameters = z.object({
  page: wholeNumber.pipe(page).default(0).describe("Number of the page, from 0."),
  perPage: wholeNumber.pipe(perPage).default(defaultPerPage).describe("Objects on a page."),
  cursor: z
    .string()
    .min(1)
    .max(maxCursorLength)
    .optional()
    .describe("Goes on where another page of the same query ended: its `~Cursor`. Instead of `page`."),
  count: z.literal("capped").optional().describe("`capped` stops counting at 5,000, which costs less."),
  query: queryParameter.optional(),
  serialization: serializationParameter.optional(),
});
