import { defineMacro } from "@sallyport/macros";

export default defineMacro({
  access: { groups: ["Sales"], apps: ["demo-app"], skipCheck: { groups: ["Sales"] } },
  check: ({ input }) => input === "open",
  run: ({ caller }) => caller,
});
