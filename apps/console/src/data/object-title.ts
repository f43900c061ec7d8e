import type { ClassStructure } from "@sallyport/client";
import type { AttributeStructure } from "./columns.ts";
import { beginningOf } from "./cut-text.ts";

const usualNames = ["Name", "Title", "Number"];

const isTitle = ({ type }: AttributeStructure): boolean => type === "string" || type === "number";

/**
 * The path to the title of the objects of a class: what the class or a base class says, else an attribute with a usual name,
 * else its first text. `null` without any.
 */
export function titlePathOf(
  structure: ClassStructure | undefined,
  classes: readonly ClassStructure[] | undefined,
): string | null {
  let declaring = structure;
  while (declaring !== undefined && declaring.title === undefined) {
    const { base } = declaring;
    declaring = classes?.find(({ name }) => name === base);
  }
  if (declaring?.title !== undefined) return declaring.title;
  const attributes = structure?.attributes ?? [];
  const usual = usualNames.flatMap((name) => attributes.filter((each) => each.name === name && isTitle(each)));
  const first = attributes.find(({ type }) => type === "string");
  return (usual[0] ?? first)?.name ?? null;
}

/** What stands for an object: its title, else its id. Works for objects of a response with the title among their fields. */
export function titleOf(object: Readonly<Record<string, unknown>>, titlePath: string | null): string {
  const title = titlePath === null ? undefined : titlePath.split(".").reduce<unknown>(memberOf, object);
  const text = beginningOf(title);
  const isText = (typeof text === "string" && text.trim() !== "") || typeof text === "number";
  return isText ? String(text) : String(object["~ObjectID"]);
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

/** The id that a person can mean by a text, in either case. `null` if no id is written so. */
export const objectIdOf = (text: string): string | null =>
  /^[1-9a-z][0-9a-z]{0,9}$/i.test(text) ? text.toUpperCase() : null;
