import type { ObjectSet } from "../authoring/hook-definition.ts";
import type { Caller, MacroContext } from "../authoring/macro-definition.ts";
import type { Json } from "../authoring/objects.ts";
import { Refusal } from "../authoring/refusal.ts";
import { checkInput } from "./check-input.ts";
import { callHost } from "./host-calls.ts";
import { type Page, type Shape, unpack } from "./packed-page.ts";
import { apply, keys, record, toText } from "./primordials.ts";
import { servicesFor } from "./services.ts";
import { type Changes, View, Watch } from "./watch.ts";

/** The default export of a module, not yet validated. */
export type Definition = Readonly<Record<string, unknown>>;

/** The input of a driver besides its argument. */
interface Environment {
  readonly page: Page | undefined;
  /** Whether the module had an input schema when it was inspected. */
  readonly checksInput: boolean;
  readonly chooseStatus: (message: string) => void;
}

/** Calls a module of one kind: knows the parameters and results of its functions. */
type Driver = (definition: Definition, argument: never, environment: Environment) => unknown;

/** The drivers by their name on the host. */
export const drivers: ReadonlyMap<string, Driver> = new Map<string, Driver>([
  ["run", runMacro],
  ["declare", declare],
  ["buildSerialization", buildSerialization],
  ["findObjects", findObjects],
  ["beforeSave", changeEach],
  ["afterSave", notifyEach],
  ["beforeDelete", notifyEach],
  ["afterDelete", notifyEach],
  ["authenticate", passMembers("user", "pass", "appNames")],
  ["createUserProvider", passMembers("userObject", "providerConfig", "userUuid", "name", "surname", "email")],
]);

function functionOf(definition: Definition, name: string): (...parts: readonly unknown[]) => unknown {
  const member = definition[name];
  if (typeof member !== "function") throw new TypeError(`${name} is not a function`);
  return member as (...parts: readonly unknown[]) => unknown;
}

interface Called {
  readonly caller: Caller;
}

async function call(name: string, input?: unknown): Promise<unknown> {
  const { result } = (await callHost("call", { name, input })) as { result?: unknown };
  return result;
}

/** Runs a macro: validates the input, calls the checker, then `run`. */
async function runMacro(
  definition: Definition,
  { input, skipCheck, caller }: Called & { readonly input?: unknown; readonly skipCheck: boolean },
  { checksInput, chooseStatus }: Environment,
): Promise<unknown> {
  if (definition["input"] !== undefined) {
    if (!checksInput) throw new TypeError("input: did not exist when the module was inspected");
    checkInput(definition["input"], input);
  }
  const setStatusMessage = (message: unknown): void => chooseStatus(toText(message));
  const context: MacroContext = { ...servicesFor(caller), input, call, setStatusMessage };
  if (!skipCheck && definition["check"] !== undefined && (await functionOf(definition, "check")(context)) !== true) {
    throw new Refusal(401);
  }
  // A returned promise would be resolved through its `then`, which the module can replace.
  return await functionOf(definition, "run")(context);
}

/** The declaration of a module: its data, and `true` for every function. */
function declare(definition: Definition): object {
  const declaration = record<unknown>();
  for (const name of keys(definition)) {
    const value = definition[name];
    declaration[name] = typeof value === "function" ? true : value;
  }
  return declaration;
}

/** Calls a serialization hook for each object of a page. */
async function buildSerialization(
  definition: Definition,
  { items, caller }: Called & { readonly items: readonly Shape[] },
  { page }: Environment,
): Promise<Changes> {
  const build = functionOf(definition, "run");
  const context = servicesFor(caller);
  const objects = unpack(items, page as Page);
  const changes: Changes = [];
  for (let index = 0; index < objects.length; index += 1) {
    const packed = objects[index] as (typeof objects)[number];
    const watched = new Watch({}, packed);
    const result = build(new View(packed).object, watched.object, context);
    // Most hooks return `undefined`, and an await per object is expensive.
    if (result !== undefined) await result;
    watched.report(changes, index);
  }
  return changes;
}

interface Items extends Called {
  readonly items: readonly { readonly object: Record<string, unknown> }[];
}

/** Calls a hook for each object. Results are ignored. */
async function notifyEach(definition: Definition, { items, caller }: Items): Promise<void> {
  const run = functionOf(definition, "run");
  const context = servicesFor(caller);
  for (const item of items) await run(item, context);
}

/** Calls a hook for each object and collects its changes. */
async function changeEach(definition: Definition, { items, caller }: Items): Promise<Changes> {
  const run = functionOf(definition, "run");
  const context = servicesFor(caller);
  const changes: Changes = [];
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index] as Items["items"][number];
    const watched = new Watch(item.object);
    await run({ ...item, object: watched.object }, context);
    watched.report(changes, index);
  }
  return changes;
}

type Asked = Pick<ObjectSet, "className" | "where" | "sort" | "oids">;

/** Calls a find hook and returns its adjustments of the query. */
async function findObjects(
  definition: Definition,
  { className, where, sort, oids, caller }: Called & Asked,
): Promise<object> {
  const narrowed: Json[] = [];
  const only: (readonly string[])[] = [];
  let order: readonly string[] | undefined;
  const objectSet: ObjectSet = {
    className,
    where,
    sort,
    oids,
    narrow: (further) => void (narrowed[narrowed.length] = further),
    order: (chosen) => void (order = chosen),
    only: (chosen) => void (only[only.length] = chosen),
  };
  const accepted = (await functionOf(definition, "run")(objectSet, servicesFor(caller))) === true;
  return { accepted, where: narrowed, ...(order === undefined ? {} : { sort: order }), oids: only };
}

/** A driver that passes the named members of the argument as parameters. The host validates the result. */
function passMembers(...names: readonly string[]): Driver {
  return (definition, context: Called & Readonly<Record<string, unknown>>) => {
    const run = functionOf(definition, "run");
    const parts: unknown[] = [];
    for (let index = 0; index < names.length; index += 1) parts[index] = context[names[index] as string];
    parts[names.length] = servicesFor(context.caller);
    return apply(run, undefined, parts);
  };
}
