import { defineMacro } from "@sallyport/macros";

export default defineMacro({
  access: "everyone",
  timeout: 400,
  run({ input }) {
    if (input === "memory") for (const all = []; ; ) all.push(Array.from({ length: 10_000 }, () => all.length));
    if (input === "pending") return new Promise(() => {});
    if (input === "stack")
      return (function deeper() {
        return deeper() + 1;
      })();
    if (input === "result") return "x".repeat(2_000_000);
    for (;;);
  },
});
