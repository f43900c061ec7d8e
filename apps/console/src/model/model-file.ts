import type { AttributeDefinition, ClassRight } from "@sallyport/client";
import { allUsers, type ClassState, type Definition, editTo, type ModelEdits } from "./model-edits.ts";

/** Why a file is not a model file: the place in it. */
export class ModelFileError extends Error {
  override readonly name = "ModelFileError";
}

type JsonObject = Readonly<Record<string, unknown>>;

function objectAt(value: unknown, place: string): JsonObject {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw new ModelFileError(place);
}

function listAt(value: unknown, place: string): readonly JsonObject[] {
  if (!Array.isArray(value)) throw new ModelFileError(place);
  return value.map((item, index) => objectAt(item, `${place}/${index}`));
}

function textAt(value: unknown, place: string): string {
  if (typeof value !== "string" || value === "") throw new ModelFileError(place);
  return value;
}

/**
 * The definitions of a model file by class. Checks what the page reads, and leaves the rest to the server. Throws a
 * `ModelFileError` with the first wrong place.
 */
export function parseModelFile(text: string): ReadonlyMap<string, Definition> {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    throw new ModelFileError("/");
  }
  const classes = listAt(objectAt(file, "/")["classes"], "/classes");
  return new Map(
    classes.map(({ name, base = null, title, attributes = [], rights = [] }, index) => {
      const place = `/classes/${index}`;
      return [
        textAt(name, `${place}/name`),
        {
          base: base === null ? null : textAt(base, `${place}/base`),
          title: title === undefined ? undefined : textAt(title, `${place}/title`),
          attributes: listAt(attributes, `${place}/attributes`).map((attribute, at) =>
            attributeAt(attribute, `${place}/attributes/${at}`),
          ),
          rights: listAt(rights, `${place}/rights`).map((right, at) => rightAt(right, `${place}/rights/${at}`)),
        },
      ];
    }),
  );
}

function attributeAt(attribute: JsonObject, place: string): AttributeDefinition {
  textAt(attribute["name"], `${place}/name`);
  textAt(attribute["type"], `${place}/type`);
  const { read } = attribute;
  if (read !== undefined && !isTexts(read)) throw new ModelFileError(`${place}/read`);
  return attribute as unknown as AttributeDefinition;
}

function rightAt(right: JsonObject, place: string): ClassRight {
  textAt(right["group"], `${place}/group`);
  if (!isTexts(right["permissions"])) throw new ModelFileError(`${place}/permissions`);
  return right as unknown as ClassRight;
}

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((item) => typeof item === "string");

/** The edits that make the classes of the file what it says. A class that it does not name stays as it is. */
export function editsTo(file: ReadonlyMap<string, Definition>, states: ReadonlyMap<string, ClassState>): ModelEdits {
  return new Map(
    Array.from(file, ([name, definition]) => [name, editTo(states.get(name)?.stored ?? null, definition)] as const),
  );
}

/** Whether a file has the groups of this database, or is for a database that has none yet. */
export type ModelFileGroups = "all" | "none";

/** The stored classes as a model file. Without groups, attributes that only groups can read are those of administrators. */
export function modelFile(states: ReadonlyMap<string, ClassState>, groups: ModelFileGroups): string {
  const classes = [...states.values()].flatMap(({ name, stored }) => {
    if (stored === null) return [];
    if (groups === "all") return [{ name, ...stored }];
    const attributes = stored.attributes.map((each) => (each.read === undefined ? each : { ...each, read: [] }));
    return [{ name, ...stored, attributes, rights: stored.rights.filter(({ group }) => group === allUsers) }];
  });
  return `${JSON.stringify({ classes }, null, 2)}\n`;
}
