import { defineMacro } from "@sallyport/macros";

export default defineMacro({
  access: "everyone",
  check: ({ input }) => input,
  run: () => "checked",
});
