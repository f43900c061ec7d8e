import type { JsonValue } from "@sallyport/core";
import type { PackedItems, Shape } from "../prelude/packed-items.ts";

/** An object of a page: what is written of it, and what it has besides. */
export interface Item {
  readonly json: Readonly<Record<string, JsonValue | undefined>>;
  readonly rest?: Readonly<Record<string, JsonValue | undefined>>;
}

/**
 * Puts all values of the objects of a page into one text. The engine of the sandbox reads JSON slowly, and most hooks touch few members:
 * of a text it takes what they ask for.
 */
export function packItems(items: readonly Item[]): PackedItems {
  const shapes: Shape[] = [];
  const places: number[][] = [];
  let text = "";
  const append = (value: JsonValue): number => {
    const isPlain = typeof value === "string" && crossesAsItIs(value);
    text += isPlain ? value : JSON.stringify(value);
    return isPlain ? text.length : -text.length;
  };
  for (const [index, { json, rest = {} }] of items.entries()) {
    const written = namesIn(json);
    const unwritten = namesIn(rest);
    const last = shapes.at(-1);
    if (last === undefined || !areSame(last.written, written) || !areSame(last.rest, unwritten)) shapes.push({ from: index, written, rest: unwritten });
    const ends: number[] = [];
    for (const name of written) ends.push(append(json[name] as JsonValue));
    for (const name of unwritten) ends.push(append(rest[name] as JsonValue));
    places.push(ends);
  }
  return { shapes, places, text };
}

/** The engine is handed texts as UTF-8 that ends at the first zero. */
function crossesAsItIs(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

function namesIn(members: Item["json"]): string[] {
  return Object.keys(members).filter((name) => members[name] !== undefined);
}

function areSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, index) => name === other[index]);
}
