import { faultAt } from "@sallyport/storage";

/** The serialization requested by a client. */
export interface Serialization {
  /**
   * `full` (default): all attributes, references followed to `depth`. `empty`: meta-fields only. `oid`: `~ObjectID`
   * only. `custom`: meta-fields and `fields`. `macro`: meta-fields and the members added by hooks.
   */
  readonly type?: "full" | "empty" | "oid" | "custom" | "macro" | undefined;
  /** For `custom` only. */
  readonly fields?: readonly SerializationField[] | undefined;
  /** Depth of references without named fields, counted from the root object. */
  readonly depth?: number | undefined;
  /** Characters: longer texts are written as `{"~Cut": beginning, "~Length": characters}`. */
  readonly cut?: number | undefined;
  /** `text`: attributes of type `json` are texts of JSON. */
  readonly json?: "text" | undefined;
}

/** An attribute name, `~UUID`, or a dotted path through references and collections. */
export type SerializationField = string | SerializationFieldObject;

export interface SerializationFieldObject {
  readonly name: string;
  /** Page of a collection, from 0. The whole collection if neither `page` nor `perPage` is given. */
  readonly page?: number | undefined;
  readonly perPage?: number | undefined;
  /** Fields of the targets of a reference or a collection. */
  readonly fields?: readonly SerializationField[] | undefined;
}

/** A range of the visible members of a collection. Both are non-negative integers. */
export interface MemberPage {
  readonly offset: number;
  readonly limit: number;
}

/** A field of a custom serialization with its nested fields. */
export interface RequestedField {
  /** JSON pointer to the first mention in the request. */
  readonly pointer: string;
  /** Fields of the targets, by name; `null` if not specified. */
  readonly below: RequestedFields | null;
  readonly page: MemberPage | null;
}

export type RequestedFields = ReadonlyMap<string, RequestedField>;

/** Limit per request, including nested fields. */
const maximumFields = 200;

/** Maximum number of names in a path from the root object. */
const maximumNames = 5;

const defaultPerPage = 50;

interface Level {
  readonly fields: Map<string, RequestedField>;
  /** Names created by dotted paths only. Further paths may extend them. */
  readonly open: Map<string, Level>;
}

/** Merges fields with a common prefix into a tree. 307 for a duplicate name and beyond the limits. */
export function requestedFields(fields: readonly SerializationField[], pointer: string): RequestedFields {
  let count = 0;
  const addAll = (level: Level, all: readonly SerializationField[], place: string, depth: number): void => {
    for (const [index, field] of all.entries()) {
      count += 1;
      if (count > maximumFields) throw faultAt(place, `At most ${maximumFields} fields are allowed.`);
      add(level, typeof field === "string" ? { name: field } : field, `${place}/${index}`, depth);
    }
  };
  const add = (into: Level, field: SerializationFieldObject, place: string, depth: number): void => {
    const names = field.name.split(".");
    const last = names.pop() as string;
    const maxDepth = depth + names.length + 1;
    if (maxDepth > maximumNames) throw faultAt(place, `A path can have at most ${maximumNames} names.`);
    let level = into;
    for (const name of names) level = openLevel(level, name, place);
    if (level.fields.has(last)) throw duplicateField(place);
    const below = field.fields === undefined ? null : emptyLevel();
    level.fields.set(last, { pointer: place, below: below?.fields ?? null, page: pageOf(field) });
    if (below !== null) addAll(below, field.fields ?? [], `${place}/fields`, maxDepth);
  };
  const root = emptyLevel();
  addAll(root, fields, pointer, 0);
  return root.fields;
}

function openLevel(level: Level, name: string, pointer: string): Level {
  const existing = level.open.get(name);
  if (existing !== undefined) return existing;
  if (level.fields.has(name)) throw duplicateField(pointer);
  const below = emptyLevel();
  level.fields.set(name, { pointer, below: below.fields, page: null });
  level.open.set(name, below);
  return below;
}

function emptyLevel(): Level {
  return { fields: new Map(), open: new Map() };
}

function pageOf({ page, perPage }: SerializationFieldObject): MemberPage | null {
  if (page === undefined && perPage === undefined) return null;
  const limit = perPage ?? defaultPerPage;
  return { offset: (page ?? 0) * limit, limit };
}

function duplicateField(pointer: string) {
  return faultAt(pointer, "The field is named twice, or both as a whole and in part.");
}
