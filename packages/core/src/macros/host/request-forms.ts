import type { ListedObjects, ListObjectsInput } from "../../objects/list-objects.ts";
import type { Serialization } from "../../objects/serialization.ts";
import type { JsonValue } from "../../objects/stored-object.ts";

/** What a list is asked for with, besides the class. */
export type ListForm = Omit<ListObjectsInput, "className">;

/** Port: reads what modules give by the rules by which requests of clients are read, and writes lists as those get them. */
export interface RequestForms {
  /** 307 for JSON beyond what a body may hold: its depth, its width, its names. */
  checkJson(value: JsonValue): void;
  /** 307 for what is none. */
  serialization(given: JsonValue | undefined): Serialization | undefined;
  /** The parameters of a list; 307 for what is none. */
  list(given: Readonly<Record<string, JsonValue | undefined>>): ListForm;
  /** The list with its cursor. */
  listed(objects: ListedObjects): JsonValue;
}
