import type { JsonValue } from "@sallyport/core";
import type { PackedLayout, Page, Shape } from "../prelude/packed-items.ts";
import type { Enter } from "../threads/messages.ts";

/** How what drivers are given and give crosses between here and the thread. */
interface Crossing {
  readonly pack: (argument: JsonValue) => Pick<Enter, "argument" | "page">;
  readonly unpack: (result: JsonValue, argument: JsonValue) => JsonValue;
}

const asJson: Crossing = {
  pack: (argument) => ({ argument: JSON.stringify(argument) }),
  unpack: (result) => result,
};

const itemsOf = (argument: JsonValue) => (argument as unknown as { readonly items: readonly Item[] }).items;
const unpack: Crossing["unpack"] = (result, argument) => unpackChanges(result, itemsOf(argument).length);

/** Objects of a page are the most that ever crosses. */
const ofPage: Crossing = {
  pack: (argument) => {
    const { layout, page } = packItems(itemsOf(argument));
    return { argument: JSON.stringify({ ...(argument as object), items: layout }), page };
  },
  unpack,
};

const byDriver: ReadonlyMap<string, Crossing> = new Map([
  ["buildSerialization", ofPage],
  ["beforeSave", { ...asJson, unpack }],
]);

export function crossingOf(driver: string): Crossing {
  return byDriver.get(driver) ?? asJson;
}

type Members = Readonly<Record<string, JsonValue | undefined>>;

/** An object of a page: what is written of it, and what it has besides. */
interface Item {
  readonly json: Members;
  readonly rest?: Members;
}

interface PackedItems {
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

interface Changes {
  readonly set: Record<string, JsonValue>;
  readonly removed: string[];
}

/** Puts together what became of so many objects: for each the members that were set and removed, `null` where nothing was. Throws on what cannot come of so many. */
export function unpackChanges(packed: JsonValue, count: number): JsonValue {
  const { set, removed } = packed as { readonly set?: JsonValue; readonly removed?: JsonValue };
  const found = Array.from<unknown, Changes | null>({ length: count }, () => null);
  const changesOf = (index: JsonValue | undefined): Changes => {
    if (typeof index !== "number" || !Number.isInteger(index) || index < 0 || index >= count)
      throw new TypeError("changes of what was not given");
    return (found[index] ??= { set: {}, removed: [] });
  };
  const members = listOf(set, 3);
  for (let at = 0; at < members.length; at += 3)
    put(changesOf(members[at]).set, textOf(members[at + 1]), members[at + 2] as JsonValue);
  const names = listOf(removed, 2);
  for (let at = 0; at < names.length; at += 2) changesOf(names[at]).removed.push(textOf(names[at + 1]));
  return found as unknown as JsonValue;
}

/** Sets a member of the object's own, whatever its name means to objects. */
function put(members: Record<string, JsonValue>, name: string, value: JsonValue): void {
  if (name === "__proto__")
    Object.defineProperty(members, name, { value, writable: true, enumerable: true, configurable: true });
  else members[name] = value;
}

function listOf(value: JsonValue | undefined, by: number): readonly JsonValue[] {
  if (!Array.isArray(value) || value.length % by !== 0) throw new TypeError("no list of changes");
  return value as readonly JsonValue[];
}

function textOf(value: JsonValue | undefined): string {
  if (typeof value !== "string") throw new TypeError("no name of a member");
  return value;
}
