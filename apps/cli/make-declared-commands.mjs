/**
 * Writes `dist/declared-commands.json`: the commands of the operations that declare one, with what follows from their
 * schemas. So the command line that is installed needs no schema library.
 *
 *     node apps/cli/make-declared-commands.mjs
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { administrationOperations, operationsOf, tags } from "@sallyport/contract";
import * as z from "zod";

/** Parameters of a page. The command reads all pages. */
const pageFields = new Set(["after", "limit"]);

const wordsOf = (name) => name.replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, " ").toLowerCase();
const flagOf = (name) => `--${wordsOf(name).replaceAll(" ", "-")}`;
const keyOf = ({ method, path }) => `${method} ${path}`;

/** The commands of operations, in the form of `DeclaredCommand`. */
export function declaredCommands(operations) {
  return operations.filter(({ command }) => command !== undefined).map((each) => commandOf(each, operations));
}

function commandOf(operation, operations) {
  const { method, path, tag, command, query, body, data, conditional = false } = operation;
  const { name, help, done = null, columns } = command;
  const isChange = method === "PATCH";
  const fields = [
    ...fieldsOf(query, "query").filter((field) => !pageFields.has(field.name)),
    ...fieldsOf(body?.json, "body"),
  ].map((field) => ({ ...field, ...formOf(field, isChange) }));
  const isArgument = ({ isRequired, kind }) => isRequired && kind !== "list";
  return {
    name,
    help,
    topic: tags.find((each) => each.name === tag).description,
    call: keyOf({ method, path }),
    read: conditional ? readOf(path, operations) : null,
    isChange,
    plural: wordsOf(path.split("/").at(-1)),
    ...shownOf(path, data, operations, columns),
    done,
    arguments: [
      ...Array.from(path.matchAll(/\{(\w+)\}/g), ([, each]) => pathArgument(each, path, operations)),
      ...fields.filter(isArgument).map((field) => ({ ...field, flags: `<${placeholderOf(field)}>` })),
    ],
    options: fields
      .filter((field) => !isArgument(field))
      .map((field) => ({
        ...field,
        flags: [flagOf(field.name), ...(field.kind === "flag" ? [] : [`<${placeholderOf(field)}>`])].join(" "),
      })),
  };
}

/** The operation that reads what a conditional one changes. */
function readOf(path, operations) {
  const read = operations.find((each) => each.method === "GET" && each.path === path);
  if (read?.versioned !== true) throw new Error(`No operation reads the version of ${path}.`);
  return keyOf(read);
}

/** An id in a path. A name stands for it if a list has names and ids. */
function pathArgument(name, path, operations) {
  const common = { in: "path", name, kind: "text", values: [] };
  const parent = path.slice(0, path.indexOf(`/{${name}}`));
  const list = operations.find((each) => each.method === "GET" && each.path === parent);
  const members = list === undefined ? {} : (itemsOf(list.data)?.properties ?? {});
  const noun = wordsOf(name.replace(/Id$/, ""));
  return "name" in members && name in members
    ? { ...common, flags: "<name>", description: `name or id of the ${noun}`, list: { call: keyOf(list), noun } }
    : { ...common, flags: `<${wordsOf(name).replaceAll(" ", "-")}>`, description: `${wordsOf(name)}, as listed` };
}

const schemaOf = (type, io) => z.toJSONSchema(type, { io, unrepresentable: "any" });

/** The properties of an object schema. Schemas with an id are references. */
function resolved({ $defs = {}, ...root }) {
  const whole = ({ $ref, ...schema } = {}) => ({ ...schema, ...($ref && whole($defs[$ref.split("/").at(-1)])) });
  return { root: whole(root), whole };
}

function fieldsOf(type, place) {
  if (type === undefined) return [];
  const { root, whole } = resolved(schemaOf(type, "input"));
  return Object.entries(root.properties ?? {}).map(([name, property]) => {
    const { value, isNullable } = withoutNull(whole(property), whole);
    const isRequired = root.required?.includes(name) ?? false;
    const description = property.description ?? value.description ?? wordsOf(name);
    return { in: place, name, value, isNullable, isRequired, description };
  });
}

function withoutNull(schema, whole) {
  const all = schema.anyOf?.map(whole) ?? [schema.type].flat().map((type) => ({ ...schema, type }));
  const others = all.filter(({ type }) => type !== "null");
  const value = others.length === 1 ? others[0] : {};
  return { value, isNullable: others.length < all.length };
}

/** The form of a field on the command line. */
function formOf({ value, isNullable, isRequired, description }, isChange) {
  const { type, items } = value;
  const isFlag = type === "boolean" && !isRequired && !isChange;
  const values = type === "boolean" && !isFlag ? ["yes", "no"] : (value.enum ?? []);
  const kinds = { boolean: isFlag ? "flag" : "truth", integer: "number", number: "number", string: "text" };
  const kind = value.enum ? "choice" : type === "array" && items?.type === "string" ? "list" : (kinds[type] ?? "json");
  const isEmptied = isChange && isNullable && kind === "text";
  const sentence = description.replaceAll("`", "").replace(/\.$/, "");
  const help = `${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}${isEmptied ? "; empty to remove it" : ""}`;
  return { kind, values, isEmptied, description: help, value: undefined };
}

function placeholderOf({ name, kind, values }) {
  if (values.length > 0) return values.join("|");
  if (kind === "list") return "text...";
  return { number: "number", json: "json" }[kind] ?? (name === "name" ? "name" : "text");
}

function itemsOf(data) {
  const { root, whole } = resolved(schemaOf(data, "output"));
  return root.properties?.items === undefined ? undefined : whole(whole(root.properties.items).items);
}

/** Whether `data` is a list, and its columns or rows: `chosen`, or all members that are values or lists of texts, a name first. */
function shownOf(path, data, operations, chosen) {
  const { root, whole } = resolved(schemaOf(data, "output"));
  const item = itemsOf(data);
  const paths = [path, ...operations.map((each) => each.path).filter((each) => each.startsWith(`${path}/{`))];
  const isId = (name) => paths.some((each) => each.endsWith(`/{${name}}`));
  const columns = Object.entries((item ?? root).properties ?? {}).flatMap(([name, property]) => {
    const { type, format, items } = withoutNull(whole(property), whole).value;
    if (type === undefined || type === "object" || (type === "array" && items?.type !== "string")) return [];
    const isState = name === "enabled";
    const label = isState ? "state" : isId(name) ? "id" : wordsOf(name);
    const kind = isState ? "state" : format === "date-time" ? "time" : name === "address" ? "address" : type;
    return [{ name, label, kind }];
  });
  const missing = chosen?.find((name) => !columns.some((column) => column.name === name));
  if (missing !== undefined) throw new Error(`${path} has no member "${missing}" that a command can show.`);
  return {
    isList: item !== undefined,
    isPaged: root.properties?.next !== undefined,
    columns: chosen
      ? chosen.map((name) => columns.find((column) => column.name === name))
      : columns.toSorted((one, other) => Number(other.name === "name") - Number(one.name === "name")),
  };
}

if (import.meta.filename === process.argv[1]) {
  const commands = declaredCommands(operationsOf(administrationOperations));
  writeFileSync(join(import.meta.dirname, "dist/declared-commands.json"), JSON.stringify(commands, null, 1));
}
