import * as z from "zod";
import { flag, refusedWith } from "../fields.ts";
import { parseJsonParameter } from "../json.ts";

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

const query = z
  .looseObject(
    {
      where: described({ type: "object", description: 'A filter, such as `{"Color": "red", "Weight": {"$gt": 10}}`.' }),
      sort: described({
        ...texts,
        description: 'Attributes to sort by. The prefix `-` sorts in descending order: `["-Weight", "Color"]`.',
      }),
      oids: described({ ...texts, description: "Restricts the list to objects with these ids and UUIDs." }),
    },
    refusedWith(329),
  )
  .meta({ description: "Filter and order of the list.", examples: [{}] });

/** The `query` parameter: a JSON object as text. Its valid members depend on the classes of the database. */
const queryParameter = z
  .string()
  .transform((text) => parseJsonParameter("query", text, 329))
  .pipe(query);

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
    "Name of an attribute, `~UUID`, or a path of at most five names separated by dots, through references and collections.",
  );

const field: z.ZodType<SerializationField, SerializationField> = z
  .union([
    path,
    z.strictObject({
      name: path,
      page: page.optional().describe("Page of the members of a collection, from 0."),
      perPage: perPage.optional().describe("Members per page of a collection. Defaults to 50."),
      get fields() {
        return fields.optional().describe("Fields of the targets of a reference or a collection.");
      },
    }),
  ])
  .meta({ id: "SerializationField" });

const fields: z.ZodType<readonly SerializationField[], readonly SerializationField[]> = z
  .array(field)
  .max(maxFields)
  .meta({ id: "SerializationFields" });

const maxCut = 1_048_576;

const serialization = z
  .strictObject({
    type: z
      .enum(["full", "empty", "oid", "custom", "macro"])
      .optional()
      .describe(
        "`full` (default): all attributes. `empty`: meta-fields only. `oid`: `~ObjectID` only. `custom`: meta-fields and `fields`. `macro`: meta-fields and the members that hooks set.",
      ),
    depth: z
      .number()
      .int()
      .min(0)
      .max(5)
      .optional()
      .describe(
        "Depth to which references are followed. Defaults to 2. Deeper targets have meta-fields only. With `custom`, it applies to links without `fields`.",
      ),
    cut: z
      .number()
      .int()
      .min(1)
      .max(maxCut)
      .optional()
      .describe(
        'Characters. A longer text is written as `{"~Cut": …, "~Length": …}` with its beginning and its number of characters.',
      ),
    json: z.literal("text").optional().describe("`text`: attributes of type `json` are texts of JSON."),
    fields: fields
      .optional()
      .describe("With `custom`, and only then: what is written. 200 names at most, those inside of others included."),
  })
  .check(({ value, issues }) => {
    if ((value.type === "custom") === (value.fields !== undefined)) return;
    issues.push({ code: "custom", message: "fields requires the type custom", input: value, path: ["fields"] });
  });

/** Members that clients of other servers send. They have no effect. */
const meaningless: ReadonlySet<string> = new Set(["macroLevel", "getSize", "securityRights"]);

/** Maps member names of existing clients to the current names. */
function renameFieldList({ fieldList, ...parameters }: Record<string, unknown>): Record<string, unknown> {
  const named = fieldList === undefined || "fields" in parameters ? parameters : { ...parameters, fields: fieldList };
  return Object.fromEntries(Object.entries(named).filter(([name]) => !meaningless.has(name)));
}

const givenSerialization = z
  .looseObject(serialization.shape)
  .transform(renameFieldList)
  .pipe(serialization)
  .meta({
    description:
      'Form of the objects: `{"type": "full", "depth": 2}`, `{"type": "custom", "fields": ["Number", "Customer.Name"]}`.',
    examples: [{ type: "full", depth: 2 }],
  });

/** The `serialization` parameter: a JSON object as text. */
export const serializationParameter = z
  .string()
  .transform((text) => parseJsonParameter("serialization", text, 307))
  .pipe(givenSerialization);

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
  query: queryParameter.meta({
    description: "Selects the objects to update. `{}` selects all.",
    examples: [{ oids: [] }],
  }),
});

/** Query parameters of a deletion. */
export const deleteParameters = z.object({
  moveToRecycler: flag.default(false).describe("Moves the object to the recycle bin, from which it can be restored."),
});

/** Query parameters of a lock. */
export const lockParameters = z.object({
  takeOver: flag.default(false).describe("Ends the lock of another session. For administrators only."),
});

/** Query parameters of a list of the recycle bin. */
export const trashParameters = z.object({
  perPage: wholeNumber.pipe(perPage).default(defaultPerPage).describe("Objects per page."),
  cursor: z.string().min(1).max(maxCursorLength).optional().describe("`~Cursor` of the previous page."),
});

/** Query parameters of a purge of the recycle bin. */
export const purgeParameters = z.object({
  all: flag.default(false).describe("Purges the deleted objects of all users. For administrators only."),
});

/** The members of a list. Query strings and bodies write numbers and objects differently. */
function listMembers<N extends z.ZodType, Q extends z.ZodType, S extends z.ZodType>(
  number: (range: z.ZodNumber, standard: number) => N,
  queryOfForm: Q,
  serializationOfForm: S,
) {
  return {
    page: number(page, 0).describe("Page number, from 0."),
    perPage: number(perPage, defaultPerPage).describe("Objects per page."),
    cursor: z
      .string()
      .min(1)
      .max(maxCursorLength)
      .optional()
      .describe("`~Cursor` of the previous page of the same query. Use it instead of `page`."),
    count: z
      .enum(["capped", "none"])
      .optional()
      .describe("`capped` stops counting at 5,000, which is faster. `none` counts nothing."),
    query: queryOfForm.optional(),
    serialization: serializationOfForm.optional(),
  };
}

/** Query parameters of a list of objects. */
export const listParameters = z.object(
  listMembers((range, standard) => wholeNumber.pipe(range).default(standard), queryParameter, serializationParameter),
);

const maxCountTime = 60_000;

/** Query parameters of a count of objects. */
export const countParameters = z.object({
  query: queryParameter.optional().describe("Selects the objects to count. Defaults to all."),
  limit: wholeNumber
    .pipe(z.number().int().min(1).max(maxCountTime))
    .optional()
    .describe("Milliseconds after which the count stops. Defaults to no limit."),
});

/** Body of a list of objects, with the members of `listParameters`. */
export const listRequest = z.strictObject(
  listMembers((range, standard) => range.default(standard), query, givenSerialization),
);
