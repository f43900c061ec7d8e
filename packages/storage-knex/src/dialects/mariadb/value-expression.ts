import { type AttributeType, isAttributeName, ServiceError } from "@sallyport/core";

/**
 * Characters of a string that an index holds, and that a list is sorted by before anything else: the database compares no more than
 * 1,024 bytes of a sort key unless it is told to, and a character has three in it.
 */
export const indexedCharacters = 250;

/** The types of the columns that hold values for indexes. */
const columnTypes: ReadonlyMap<AttributeType, string> = new Map([
  ["string", `varchar(${indexedCharacters})`],
  ["date", "varchar(24)"],
  ["number", "double"],
  ["boolean", "boolean"],
  ["reference", "bigint"],
  ["file", "bigint"],
]);

/**
 * What an attribute is compared by, and what a column that is indexed holds of it. `attributes` is the column of all of them.
 * Null stands for a missing value, too.
 *
 * - Of a string its first characters, of a date its text.
 * - A number as one of 64 bits, a boolean as 1 or 0.
 * - Of a reference and a file the number of the object.
 * - Everything else as JSON, see `stored-attributes.ts`.
 */
export function valueExpression(attributes: string, name: string, type: AttributeType): string {
  const text = textOf(attributes, name);
  const json = jsonOf(attributes, name);
  switch (type) {
    case "string":
      return `left(${text}, ${indexedCharacters})`;
    case "date":
      return `left(${text}, 24)`;
    case "number":
      return `case when json_type(${json}) in ('INTEGER', 'DOUBLE') then cast(${text} as double) end`;
    case "boolean":
      return `case ${json} when 'true' then 1 when 'false' then 0 end`;
    case "reference":
    case "file":
      return `case when ${text} regexp '^[1-9A-Z][0-9A-Z]{0,9}\\\\z' then cast(conv(${text}, 36, 10) as signed) end`;
    default:
      return `nullif(${json}, 'null')`;
  }
}

/** The definition of a column that holds the values of an attribute without room of its own. */
export function valueColumnDefinition(name: string, type: AttributeType): string {
  return `${columnTypes.get(type)} generated always as (${valueExpression("attributes", name, type)}) virtual`;
}

/** The value as JSON, as a text: the server compares JSON with what stands between its quotation marks. */
function jsonOf(attributes: string, name: string): string {
  return `concat(json_extract(${attributes}, ${pathOf(name)}))`;
}

/** The value as text. */
export function textOf(attributes: string, name: string): string {
  return `json_value(${attributes}, ${pathOf(name)})`;
}

/** The path to an attribute. Names of attributes mean nothing else in a path. */
export function pathOf(name: string): string {
  if (!isAttributeName(name)) throw new ServiceError(799, { detail: "A query names what cannot be an attribute." });
  return `'$.${name}'`;
}
