import { defineMacro, refuse } from "@sallyport/macros";

export default defineMacro({
  access: "everyone",
  run: ({ input }) => refuse(input.code, input.detail),
});
