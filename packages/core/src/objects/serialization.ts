import { faultAt } from "../errors/index.ts";

/** How the objects of an answer are to be written, as a client asks for it. */
export interface Serialization {
  /**
   * `full`, unless given: all attributes, references followed to `depth`; `empty`: meta-fields only; `oid`: `~ObjectID`
   * only; `custom`: the meta-fields and `fields`; `macro`: the meta-fields and what hooks make of them.
   */
  readonly type?: "full" | "empty" | "oid" | "custom" | "macro" | undefined;
  /** Of `custom` alone. */
  readonly fields?: readonly SerializationField[] | undefined;
  /** How far references are followed that no fields are named of, counted from the object that was asked for. */
  readonly depth?: number | undefined;
}

/** The name of an attribute, or `~UUID`, or names joined by dots that lead through references and collections to one. */
export type SerializationField = string | SerializationFieldObject;

export interface SerializationFieldObject {
  readonly name: string;
  /** Which part of a collection is written, from 0; the whole collection, unless `page` or `perPage` is given. */
  readonly page?: number | undefined;
  readonly perPage?: number | undefined;
  /** What is written of the targets of a reference or a collection. */
  readonly fields?: readonly SerializationField[] | undefined;
}

/** A part of a collection, after what the caller may not see is taken out. Both are whole and not negative. */
export interface MemberPage {
  readonly offset: number;
  readonly limit: number;
}

/** A name among the fields of a custom serialization, with all that is asked for below it. */
export interface RequestedField {
  /** Where the request first names it, as a JSON pointer. */
  readonly pointer: string;
  /** What is written of its targets, by name; `null` when the request leaves that open. */
  readonly below: RequestedFields | null;
  readonly page: MemberPage | null;
}

export type RequestedFields = ReadonlyMap<string, RequestedField>;

/** Names in one request, those inside of others included. */
const maximumFields = 200;

/** Names in one path, from the object that was asked for. */
const maximumNames = 5;

const defaultPerPage = 50;

interface Level {
  readonly fields: Map<string, RequestedField>;
  /** The names that only paths lead through, so that more paths may. */
  readonly open: Map<string, Level>;
}

/** Puts fields in order, those with the same beginning together. What is named twice, too deep or too much: 307. */
export function requestedFields(fields: readonly SerializationField[], pointer: string): RequestedFields {
  let count = 0;
  const addAll = (level: Level, all: readonly SerializationField[], place: string, depth: number): void => {
    for (const [index, field] of all.entries()) {
      count += 1;
      if (count > maximumFields) throw faultAt(place, `There are more than ${maximumFields} fields.`);
      add(level, typeof field === "string" ? { name: field } : field, `${place}/${index}`, depth);
    }
  };
  const add = (into: Level, field: SerializationFieldObject, place: string, depth: number): void => {
    const names = field.name.split(".");
    const last = names.pop() as string;
    const deepest = depth + names.length + 1;
    if (deepest > maximumNames) throw faultAt(place, `The path has more than ${maximumNames} names.`);
    let level = into;
    for (const name of names) level = openLevel(level, name, place);
    if (level.fields.has(last)) throw namedTwice(place);
    const below = field.fields === undefined ? null : emptyLevel();
    level.fields.set(last, { pointer: place, below: below?.fields ?? null, page: pageOf(field) });
    if (below !== null) addAll(below, field.fields ?? [], `${place}/fields`, deepest);
  };
  const root = emptyLevel();
  addAll(root, fields, pointer, 0);
  return root.fields;
}

function openLevel(level: Level, name: string, pointer: string): Level {
  const known = level.open.get(name);
  if (known !== undefined) return known;
  if (level.fields.has(name)) throw namedTwice(pointer);
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

function namedTwice(pointer: string) {
  return faultAt(pointer, "It is named twice, or whole and in part.");
}
