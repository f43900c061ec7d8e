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
