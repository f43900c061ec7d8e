import type { JsonValue } from "@sallyport/core";
import type { PackedLayout, Page, Shape } from "../prelude/packed-page.ts";
import type { Invoke } from "../worker/messages.ts";

/** How the argument and the result of a driver cross between the server and a worker. */
interface Transfer {
  readonly encode: (argument: JsonValue) => Pick<Invoke, "argument" | "page">;
  readonly decode: (result: JsonValue, argument: JsonValue) => JsonValue;
}

const itemsOf = (argument: JsonValue) => (argument as unknown as { readonly items: readonly Item[] }).items;
const asJson: Transfer = {
  encode: (argument) => ({ argument: JSON.stringify(argument) }),
  decode: (result) => result,
};
const decode: Transfer["decode"] = (result, argument) => unpackChanges(result, itemsOf(argument).length);

const transfers: ReadonlyMap<string, Transfer> = new Map([
  [
    "buildSerialization",
    {
      encode: (argument) => {
        const { layout, page } = packItems(itemsOf(argument));
        return { argument: JSON.stringify({ ...(argument as object), items: layout }), page };
      },
      decode,
    },
  ],
  ["beforeSave", { ...asJson, decode }],
]);

export function transferOf(driver: string): Transfer {
  return transfers.get(driver) ?? asJson;
}

type Members = Readonly<Record<string, JsonValue | undefined>>;

/** An object of a page: the members that the answer contains, and its other attributes. */
interface Item {
  readonly json: Members;
  readonly rest?: Members;
}

/**
 * Puts all values of a page into one text. The engine reads JSON slowly, and most hooks touch few members: the sandbox
 * cuts out what they read.
 */
export function packItems(items: readonly Item[]): { readonly layout: PackedLayout; readonly page: Page } {
  // Nearly all texts cross unchanged, so one check of the whole page comes first.
  const packed = pack(items, true);
  return crossesUnchanged(packed.page.text) ? packed : pack(items, false);
}

/** `isChecked`: all texts cross unchanged. */
function pack(items: readonly Item[], isChecked: boolean): ReturnType<typeof packItems> {
  const shapes: Shape[] = [];
  const ends: number[] = [];
  let text = "";
  const append = (values: readonly JsonValue[]): void => {
    for (const value of values) {
      const isPlain = typeof value === "string" && (isChecked || crossesUnchanged(value));
      text += isPlain ? value : jsonOf(value);
      ends.push(isPlain ? text.length : -text.length);
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

/** Texts reach the engine as UTF-8 up to the first zero. */
function crossesUnchanged(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

/** Most values are simple, and faster without `stringify`. */
function jsonOf(value: JsonValue): string {
  const isSimple =
    typeof value === "boolean" || value === null || (typeof value === "number" && Number.isFinite(value));
  return isSimple ? String(value) : JSON.stringify(value);
}

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

/** Sorts changes by object: the members set and removed, `null` for an object without changes. Throws on an unknown object. */
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

/** Sets an own member of any name. */
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
