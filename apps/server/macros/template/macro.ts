import { defineMacro } from "@sallyport/macros";

interface Input {
  readonly className: string;
}

/** What it is good for, in a line. */
export default defineMacro<Input>({
  // Who may execute it: "everyone", or some { groups: ["Sales"], apps: ["office"] }. Without this line administrators alone.
  access: "everyone",
  // What callers send, as JSON Schema. Anything else is refused with 307.
  input: {
    type: "object",
    properties: { className: { type: "string" } },
    required: ["className"],
    additionalProperties: false,
  },
  // Everything it does happens, or nothing does. What it gives is the data of the answer.
  async run({ input, caller, objects, log }) {
    const page = await objects.find(input.className, { perPage: 1 });
    log("counted for", caller.name);
    return { className: input.className, count: page["~Count"] };
  },
});
