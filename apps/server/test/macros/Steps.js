import { defineMacro, versionOf } from "@sallyport/macros";

/** Executes its input step by step; a refused step returns its code. */
export default defineMacro({
  access: "everyone",
  async run({ input, objects, call, now, log }) {
    const results = [];
    for (const [what, ...given] of input.steps) {
      try {
        if (what === "throw") throw new Error("as told");
        else if (what === "call") results.push(await call(...given));
        else if (what === "now") results.push(await now());
        else if (what === "log") results.push(log(...given) ?? null);
        else {
          const result = await objects[what](...given);
          results.push(
            result === undefined
              ? null
              : { result, version: what === "find" ? result["~Elements"].map(versionOf) : versionOf(result) },
          );
        }
      } catch (error) {
        if (what === "throw" || input.strict) throw error;
        results.push(error.code);
      }
    }
    return results;
  },
});
