import type { JsonValue } from "@sallyport/storage";
import type { Page, Shape } from "../prelude/packed-page.ts";
import type { Invoke } from "../worker/messages.ts";

const itemsOf = (argument: JsonValue) => (argument as unknown as { readonly items: readonly Item[] }).items;

/** Encodes the argument of a driver for the worker. */
export function encodeArgument(driver: string, argument: JsonValue): Pick<Invoke, "argument" | "page"> {
  if (driver !== "buildSerialization") return { argument: JSON.stringify(argument) };
  const { shapes, page } = packItems(itemsOf(argument));
  return { argument: JSON.stringify({ ...(argument as object), items: shapes }), page };
}

/** Decodes the result of a driver. */
export function decodeResult(driver: string, argument: JsonValue, result: string): JsonValue | undefined {
  if (result === "") return undefined;
  const parsed = JSON.parse(result) as JsonValue;
  const hasChanges = driver === "buildSerialization" || driver === "beforeSave";
  return hasChanges ? unpackChanges(parsed, itemsOf(argument).length) : parsed;
}

type Members = Readonly<Record<string, JsonValue | undefined>>;

/** An object of a page: the members of the response, and the remaining attributes. */
interface Item {
  readonly json: Members;
  readonly rest?: Members;
}

/**
 * Packs all values of a page into one string. QuickJS parses JSON slowly and most hooks read few members: the sandbox
 * decodes only these.
 */
export function packItems(items: readonly Item[]): { readonly shapes: readonly Shape[]; readonly page: Page } {
  // Nearly all strings survive the transfer, so one check of the whole page comes first.
  const packed = pack(items, true);
  return crossesUnchanged(packed.page.text) ? packed : pack(items, false);
}

/** `isChecked`: all strings are known to survive the transfer. */
function pack(items: readonly Item[], isChecked: boolean): ReturnType<typeof packItems> {
  const shapes: Shape[] = [];
  const ends: number[] = [];
  let text = "";
  const append = (members: Members): readonly string[] => {
    const names = Object.keys(members).filter((name) => members[name] !== undefined);
    for (const name of names) {
      const value = members[name] as JsonValue;
      const isPlain = typeof value === "string" && (isChecked || crossesUnchanged(value));
      // Same output as JSON, but faster.
      const isSimple = isPlain || typeof value === "boolean" || Number.isFinite(value);
      text += isSimple ? String(value) : JSON.stringify(value);
      ends.push(isPlain ? text.length : -text.length);
    }
    return names;
  };
  for (const item of items) {
    const [written, rest] = [append(item.json), append(item.rest ?? {})];
    const last = shapes.at(-1);
    if (last !== undefined && areSame(last.written, written) && areSame(last.rest, rest)) last.count += 1;
    else shapes.push({ count: 1, written, rest });
  }
  return { shapes, page: { text, ends: new Int32Array(ends) } };
}

/** QuickJS receives UTF-8 and truncates it at the first NUL. */
function crossesUnchanged(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

function areSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, index) => name === other[index]);
}

interface MemberChanges {
  readonly set: Record<string, JsonValue>;
  readonly removed: string[];
}

/** Groups `Changes` by object, `null` for an unchanged object. Throws `TypeError` on malformed input. */
export function unpackChanges(changes: JsonValue, count: number): JsonValue {
  if (!Array.isArray(changes) || changes.length % 3 !== 0) throw new TypeError("not a list of changes");
  const byObject = Array.from<unknown, MemberChanges | null>({ length: count }, () => null);
  for (let at = 0; at < changes.length; at += 3) {
    const [position, name, value] = (changes as readonly JsonValue[]).slice(at, at + 3);
    if (typeof position !== "number" || typeof name !== "string") throw new TypeError("not a change of a member");
    const index = position < 0 ? -1 - position : position;
    if (byObject[index] === undefined) throw new TypeError("a change of an unknown object");
    // Without a prototype, `__proto__` is an ordinary member name.
    const { set, removed } = (byObject[index] ??= { set: Object.create(null) as MemberChanges["set"], removed: [] });
    if (position < 0) removed.push(name);
    else set[name] = value as JsonValue;
  }
  return byObject as unknown as JsonValue;
}
