import { type Schema, Validator } from "@cfworker/json-schema";
import { provideValidator } from "./check-input.ts";
import { parse, stringify } from "./primordials.ts";

/** The JSON pointer in a fragment such as `#/a%20b/0`. */
function jsonPointerOf(fragment: string): string {
  const pointer = fragment.slice(1);
  try {
    return decodeURI(pointer) || "/";
  } catch {
    return pointer;
  }
}

provideValidator((schema, input) => {
  // The validator writes into the schema, which may be frozen.
  const { valid, errors } = new Validator(parse(stringify(schema)) as Schema, "2020-12").validate(input);
  if (valid) return undefined;
  // The last one is the innermost: the others say that what contains it does not match.
  const fault = errors.at(-1);
  return `${jsonPointerOf(fault?.instanceLocation ?? "#")}: ${fault?.error ?? "does not match"}`;
});
