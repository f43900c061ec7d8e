import { defineMacro } from "@sallyport/macros";

export default defineMacro<{ count: number }>({
  access: "everyone",
  input: {
    type: "object",
    properties: { count: { type: "integer", minimum: 1 } },
    required: ["count"],
    additionalProperties: false,
  },
  run: ({ input }) => input.count,
});
