import { defineMacro, type Json } from "@sallyport/macros";

interface Input {
  readonly classes: readonly string[];
  readonly where?: Json;
}

/** How many objects of each class the caller sees: several lists in one request, none of which is sent. */
export default defineMacro<Input>({
  access: "everyone",
  input: {
    type: "object",
    properties: {
      classes: { type: "array", items: { type: "string" }, minItems: 1, maxItems: 20 },
      where: { type: "object" },
    },
    required: ["classes"],
    additionalProperties: false,
  },
  async run({ input: { classes, where = {} }, objects }) {
    const counts: Record<string, number> = {};
    for (const className of classes) {
      const page = await objects.find(className, { where, perPage: 1, serialization: { type: "oid" } });
      counts[className] = page["~Count"];
    }
    return counts;
  },
});
