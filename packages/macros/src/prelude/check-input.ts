import { type Schema, Validator } from "@cfworker/json-schema";
import { Refusal } from "../authoring/refusal.ts";
import { parse, stringify } from "./primordials.ts";

/** Validates an input against a JSON Schema. Throws a `Refusal` with 307 on a mismatch. */
export function checkInput(schema: unknown, input: unknown): void {
  if (input === undefined) {
    if (schema !== true) throw new Refusal(307, "input: is missing");
    return;
  }
  // The validator writes into the schema, which may be frozen.
  const { valid, errors } = new Validator(parse(stringify(schema)) as Schema, "2020-12").validate(input);
  if (valid) return;
  // The last error is the innermost. The others only say that its container does not match.
  const fault = errors.at(-1);
  const where = jsonPointerOf(fault?.instanceLocation ?? "#");
  throw new Refusal(307, `${where}: ${fault?.error ?? "does not match"}`);
}

/** The JSON pointer in a URI fragment such as `#/a%20b/0`. */
function jsonPointerOf(fragment: string): string {
  const pointer = fragment.slice(1);
  try {
    return decodeURI(pointer) || "/";
  } catch {
    return pointer;
  }
}
