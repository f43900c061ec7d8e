import { Refusal } from "../authoring/refusal.ts";
import { type Definition, drivers } from "./drivers.ts";
import { type Failure, notifyHost } from "./host-calls.ts";
import type { Page } from "./packed-page.ts";
import { Integers, isSafeInteger, parse, slice, stringify } from "./primordials.ts";
import { random } from "./random.ts";

// Loaded here so that user modules can import it.
export * as authoring from "../authoring/index.ts";
export { answered, connect } from "./host-calls.ts";
export { seed } from "./random.ts";

const find = drivers.get.bind(drivers);
const isSyntaxError = RegExp.prototype.test.bind(/^SyntaxError: /);

// The engine's own generator has the same state in every copy of the runtime.
Math.random = random;

function fail(failure: Failure): void {
  notifyHost("failed", stringify(failure));
}

/** Reports an error thrown while a module was loaded. The parser throws a `SyntaxError`. */
export function failed(thrown: unknown): void {
  const failure = describe(thrown);
  fail(failure.kind === "threw" && isSyntaxError(failure.message) ? { ...failure, kind: "invalid" } : failure);
}

async function drive(
  loaded: unknown,
  driver: string,
  argument: string,
  options: { readonly page: Page | undefined; readonly checksInput: boolean },
): Promise<void> {
  const { module } = (await loaded) as { module: unknown };
  const definition = ((await module) as { default?: unknown }).default;
  if (typeof definition !== "object" || definition === null) {
    fail({ kind: "invalid", message: "has no default export made with defineMacro or defineHook" });
    return;
  }
  const call = find(driver);
  if (call === undefined) throw new TypeError(`no driver ${driver}`);
  let status: string | undefined;
  const chooseStatus = (message: string): void => {
    status = stringify(slice(message, 0, LONGEST.status));
  };
  const result = await call(definition as Definition, parse(argument) as never, { ...options, chooseStatus });
  if (result === undefined) {
    notifyHost("done", "", status);
    return;
  }
  let json: string | undefined;
  try {
    json = stringify(result);
  } catch (error) {
    const failure = describe(error);
    const message = `the result is not JSON: ${failure.message}`;
    fail(failure.kind === "refused" ? failure : { ...failure, kind: "result", message });
    return;
  }
  if (json === undefined) fail({ kind: "result", message: "the result is not JSON" });
  else notifyHost("done", json, status);
}

/** Calls a module with a driver; sends one `done` or `failed`. `checksInput`: 1 if inspection found a schema. */
export async function invoke(
  loaded: unknown,
  driver: string,
  argument: string,
  checksInput: number,
  text?: string,
  ends?: ArrayBuffer,
): Promise<void> {
  try {
    const page = text === undefined || ends === undefined ? undefined : { text, ends: new Integers(ends) };
    await drive(loaded, driver, argument, { page, checksInput: checksInput === 1 });
  } catch (error) {
    fail(describe(error));
  }
}

/** Limits in characters, checked again by the worker. Truncating here saves the module's memory. */
const LONGEST = { message: 2_000, trace: 4_000, status: 500 };

/** Reads a member as text. Getters of a hostile object run inside the sandbox, under its limits. */
function textOf(read: () => unknown, maxLength: number): string | undefined {
  try {
    const text = read();
    return typeof text === "string" ? (text.length > maxLength ? `${slice(text, 0, maxLength)}…` : text) : undefined;
  } catch {
    return undefined;
  }
}

function messageOf(thrown: unknown): string {
  if (typeof thrown !== "object" || thrown === null)
    return textOf(() => `${thrown as string}`, LONGEST.message) ?? "threw a symbol";
  const { name, message } = thrown as { name?: unknown; message?: unknown };
  const title = textOf(() => name, 100);
  const text = textOf(() => message, LONGEST.message);
  if (text === undefined) return "threw a value that is not an error";
  return title === undefined || title === "" || title === "Error" ? text : `${title}: ${text}`;
}

/** Describes a thrown value. */
function describe(thrown: unknown): Failure {
  const code = Refusal.codeOf(thrown);
  const trace = textOf(() => (thrown as { stack?: unknown }).stack, LONGEST.trace);
  try {
    if (code !== undefined && isSafeInteger(code)) {
      return { kind: "refused", code, message: textOf(() => (thrown as Error).message, LONGEST.message) ?? "" };
    }
    return { kind: "threw", message: messageOf(thrown), ...(trace === undefined ? {} : { trace }) };
  } catch {
    return { kind: "threw", message: "threw a value that cannot be described" };
  }
}
