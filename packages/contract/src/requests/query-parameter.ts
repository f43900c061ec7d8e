import { z } from "zod";
import { parseJsonParameter } from "../fields/json-parameter.ts";

/** A member that is checked against the classes of the database, and not before; what it has to be is only described. */
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

/** The `query` parameter: a JSON object as text. What may stand in it depends on the classes of the database. */
export const queryParameter = z
  .string()
  .transform((text) => parseJsonParameter("query", text, 329))
  .pipe(query)
  .meta({ description: "Which objects are listed, and in which order.", examples: [{}] });
