import { defineMacro } from "@sallyport/macros";

/** Answers what it was sent: the smallest macro there is, and the way to see that macros work. */
export default defineMacro({
  access: "everyone",
  run: ({ input }) => input,
});
