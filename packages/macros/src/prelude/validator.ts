import { type Schema, Validator } from "@cfworker/json-schema";
import { provideValidator } from "./check-input.ts";
import { jsonPointerOf } from "./json-pointer-of.ts";
import { parse, stringify } from "./primordials.ts";

provideValidator((schema, input) => {
  // The validator writes into the schema, which may be frozen.
  const { valid, errors } = new Validator(parse(stringify(schema)) as Schema, "2020-12").validate(input);
  if (valid) return undefined;
  // The last one is the innermost: the others say that what contains it does not match.
  const fault = errors.at(-1);
  return `${jsonPointerOf(fault?.instanceLocation ?? "#")}: ${fault?.error ?? "does not match"}`;
});
