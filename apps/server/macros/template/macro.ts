import { defineMacro } from "@sallyport/macros";

interface Input {
  readonly className: string;
}

/** Describe the macro in one line. */
export default defineMacro<Input>({
  // Callers that may execute it: "everyone", or { groups: ["Sales"], apps: ["office"] }. Without this line: administrators only.
  access: "everyone",
  // The input as JSON Schema. Any other input is refused with 307.
  input: {
    type: "object",
    properties: { className: { type: "string" } },
    required: ["className"],
    additionalProperties: false,
  },
  // One transaction: all of its writes happen, or none. The returned value is the data of the answer.
  async run({ input, caller, objects, log }) {
    const page = await objects.find(input.className, { perPage: 1 });
    log("counted for", caller.name);
    return { className: input.className, count: page["~Count"] };
  },
});
