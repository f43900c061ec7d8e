import type { ClassStructure } from "@sallyport/client";
import type { SerializationField } from "@sallyport/contract";
import { titlePathOf } from "./object-title.ts";

export type AttributeStructure = ClassStructure["attributes"][number];

/** `id` and `class` for the meta-fields that are not attributes; `title` for a title behind references. */
export type ValueType = AttributeStructure["type"] | "id" | "class" | "title";

/** What a column shows, and how the server sorts and selects it. */
export interface ValueColumn {
  /** An attribute or a meta-field. */
  readonly name: string;
  readonly type: ValueType;
  /** Path to the title of the objects that a reference leads to, or of the object itself. */
  readonly targetTitle: string | null;
  /** Key of the sort order. `null` where the server has none. */
  readonly sortKey: string | null;
  readonly mandatory: boolean;
}

/** Columns that show at first. The others are one click away, and cost nothing until then. */
const shownAtFirst = 8;

/** Names in a path from an object, at most. */
const maxNames = 5;

const metaColumns: readonly ValueColumn[] = [
  { name: "~ObjectID", type: "id", targetTitle: null, sortKey: "~ObjectID", mandatory: true },
  { name: "~ClassName", type: "class", targetTitle: null, sortKey: "~ClassName", mandatory: true },
  { name: "~StoreTime", type: "date", targetTitle: null, sortKey: "~StoreTime", mandatory: true },
];

/** All columns of a class: attributes, inherited ones among them, and meta-fields. */
export function columnsOf(structure: ClassStructure, classes: readonly ClassStructure[]): readonly ValueColumn[] {
  const titleOfClass = (name: string | null | undefined) => {
    const path = titlePathOf(
      classes.find((candidate) => candidate.name === name),
      classes,
    );
    return path === null || path.split(".").length === maxNames ? null : path;
  };
  const attributes = structure.attributes.map(({ name, type, target, mandatory }): ValueColumn => {
    const targetTitle = type === "file" ? "Name" : titleOfClass(target);
    return { name, type, targetTitle, sortKey: sortKeyOf(name, type, targetTitle), mandatory };
  });
  return [...attributes, ...metaColumns];
}

/** The columns of a list: those of the class, and its title if that is behind references. */
export function listColumnsOf(structure: ClassStructure, classes: readonly ClassStructure[]): readonly ValueColumn[] {
  const path = titlePathOf(structure, classes);
  const title: ValueColumn = { name: "~Title", type: "title", targetTitle: path, sortKey: path, mandatory: true };
  return [...(path?.includes(".") ? [title] : []), ...columnsOf(structure, classes)];
}

function sortKeyOf(name: string, type: ValueType, targetTitle: string | null): string | null {
  if (type === "json" || type === "collection") return null;
  if (type !== "reference" && type !== "file") return name;
  return targetTitle === null ? null : `${name}.${targetTitle}`;
}

/** The names of the columns that show before a person chooses: the title, then the first attributes. */
export function usualColumns(structure: ClassStructure, classes: readonly ClassStructure[]): readonly string[] {
  const path = titlePathOf(structure, classes);
  const title = path?.includes(".") ? "~Title" : path;
  const others = structure.attributes.map(({ name }) => name).filter((name) => name !== title);
  const hasSubclasses = classes.some(({ base }) => base === structure.name);
  return [title ?? "~ObjectID", ...(hasSubclasses ? ["~ClassName"] : []), ...others.slice(0, shownAtFirst - 1)];
}

/** The fields that a list asks for, for these columns. Of a collection it needs the number only. */
export function fieldsOf(columns: readonly ValueColumn[]): SerializationField[] {
  const title = columns.find(({ type }) => type === "title")?.targetTitle ?? "";
  const [first, ...behind] = title.split(".");
  const isShown = columns.some(({ name }) => name === first);
  const fields = columns
    .filter(({ name }) => !name.startsWith("~"))
    .map(({ name, type, targetTitle }): SerializationField => {
      if (type === "collection") return { name, page: 0, perPage: 1, fields: [] };
      if (type !== "reference" && type !== "file") return name;
      // A field can be named once only.
      const titles = [targetTitle ?? "", name === first ? behind.join(".") : ""].filter((path) => path !== "");
      return { name, fields: [...new Set(titles)] };
    });
  return title === "" || isShown ? fields : [...fields, title];
}

/** The fields that a form asks for: title, all attributes, and all members of collections, since a save sends them whole. */
export function formFieldsOf(structure: ClassStructure, classes: readonly ClassStructure[]): SerializationField[] {
  const columns = listColumnsOf(structure, classes);
  const collections = columns.filter(({ type }) => type === "collection");
  const whole = collections.map(({ name, targetTitle }) => ({
    name,
    fields: targetTitle === null ? [] : [targetTitle],
  }));
  return [...fieldsOf(columns.filter(({ type }) => type !== "collection")), ...whole];
}
