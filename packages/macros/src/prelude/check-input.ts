import { Refusal } from "../authoring/refusal.ts";

/** What is wrong with an input, by a JSON Schema; nothing if it matches. */
type FindFault = (schema: unknown, input: unknown) => string | undefined;

let findFault: FindFault | undefined;

/** For modules that hold inputs to a schema. Others do without: what there is in an engine is copied for each entry. */
export function provideValidator(given: FindFault): void {
  findFault = given;
}

/** Holds an input to a JSON Schema; what does not match is refused with 307. */
export function checkInput(schema: unknown, input: unknown): void {
  if (findFault === undefined) throw new TypeError("input: was not there when the module was inspected");
  if (input === undefined) {
    if (schema !== true) throw new Refusal(307, "input: is missing");
    return;
  }
  const fault = findFault(schema, input);
  if (fault !== undefined) throw new Refusal(307, fault);
}
