import type { ClassStructure } from "@sallyport/client";
import type { AttributeStructure } from "./columns.ts";

const usualNames = ["Name", "Title", "Number"];

const isTitle = ({ type }: AttributeStructure): boolean => type === "string" || type === "number";

/** The attribute that names the objects of a class: one with a usual name, else its first text. `null` without any. */
export function titleAttributeOf(structure: ClassStructure | undefined): string | null {
  const attributes = structure?.attributes ?? [];
  const usual = usualNames.flatMap((name) => attributes.filter((each) => each.name === name && isTitle(each)));
  const first = attributes.find(({ type }) => type === "string");
  return (usual[0] ?? first)?.name ?? null;
}

/** What stands for an object: its title, else its id. Works for objects of a response with the title among their fields. */
export function titleOf(object: Readonly<Record<string, unknown>>, titleAttribute: string | null): string {
  const title = titleAttribute === null ? undefined : object[titleAttribute];
  const isText = (typeof title === "string" && title.trim() !== "") || typeof title === "number";
  return isText ? String(title) : String(object["~ObjectID"]);
}

/** The id that a person can mean by a text, in either case. `null` if no id is written so. */
export const objectIdOf = (text: string): string | null =>
  /^[1-9a-z][0-9a-z]{0,9}$/i.test(text) ? text.toUpperCase() : null;
