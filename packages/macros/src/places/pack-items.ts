import type { JsonValue } from "@sallyport/core";
import type { PackedLayout, Page, Shape } from "../prelude/packed-items.ts";

type Members = Readonly<Record<string, JsonValue | undefined>>;

/** An object of a page: what is written of it, and what it has besides. */
export interface Item {
  readonly json: Members;
  readonly rest?: Members;
}

export interface PackedItems {
  readonly layout: PackedLayout;
  readonly page: Page;
}

/**
 * Puts all values of the objects of a page into one text. The engine of the sandbox reads JSON slowly, and most hooks touch few members:
 * of a text it takes what they ask for.
 */
export function packItems(items: readonly Item[]): PackedItems {
  // Nearly all pages cross as they are: they are looked at as a whole.
  const packed = pack(items, true);
  return crossesAsItIs(packed.page.text) ? packed : pack(items, false);
}

/** `trusting`: texts are not looked at. */
function pack(items: readonly Item[], trusting: boolean): PackedItems {
  const shapes: Shape[] = [];
  const ends: number[] = [];
  let text = "";
  const append = (values: readonly JsonValue[]): void => {
    for (const value of values) {
      const asItIs = typeof value === "string" && (trusting || crossesAsItIs(value));
      text += asItIs ? value : jsonOf(value);
      ends.push(asItIs ? text.length : -text.length);
    }
  };
  let last: Shape = { from: -1, written: [], rest: [] };
  for (const [index, item] of items.entries()) {
    const [json, rest] = [columnsOf(item.json), columnsOf(item.rest ?? {})];
    if (last.from < 0 || !areSame(last.written, json.names) || !areSame(last.rest, rest.names)) {
      last = { from: index, written: json.names, rest: rest.names };
      shapes.push(last);
    }
    append(json.values);
    append(rest.values);
  }
  return { layout: { shapes, count: items.length }, page: { text, ends: new Int32Array(ends) } };
}

/** The engine is handed texts as UTF-8 that ends at the first zero. */
function crossesAsItIs(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

/** Most values are simple: what is general would take longer for them. */
function jsonOf(value: JsonValue): string {
  const isSimple =
    typeof value === "boolean" || value === null || (typeof value === "number" && Number.isFinite(value));
  return isSimple ? String(value) : JSON.stringify(value);
}

/** The members that are defined. */
function columnsOf(members: Members): { readonly names: readonly string[]; readonly values: readonly JsonValue[] } {
  const [names, values] = [Object.keys(members), Object.values(members)];
  if (!values.includes(undefined)) return { names, values: values as JsonValue[] };
  return {
    names: names.filter((name) => members[name] !== undefined),
    values: values.filter((value) => value !== undefined),
  };
}

function areSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, index) => name === other[index]);
}
