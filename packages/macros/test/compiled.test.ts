import { Bench, macro } from "./runtime.ts";

const bench = new Bench();
afterAll(() => bench.runtime.close());

/** The outcomes of several invocations of a module. A failure is its kind, message and position. */
async function outcomesOf(code: string, times = 3, more: Parameters<Bench["invoke"]>[1] = {}): Promise<unknown[]> {
  const outcomes: unknown[] = [];
  for (let time = 0; time < times; time += 1) {
    outcomes.push(
      await bench.invoke(code, more).then(
        ({ result }) => result,
        ({ kind, message, line }: Record<string, unknown>) => ({ kind, message, line }),
      ),
    );
  }
  return outcomes;
}

describe("a module that was compiled before", () => {
  it.each<[string, string, unknown]>([
    ["variables", `let count = 0;\n${macro("return (count += 1);")}`, 1],
    ["globals", `globalThis.count = (globalThis.count ?? 0) + 1;\n${macro("return count;")}`, 1],
    ["built-ins", `Array.prototype.seen ??= [];\n${macro("return [].seen.push(1);")}`, 1],
    ["regular expressions", `const word = /a/g;\n${macro("word.test('aa'); return word.lastIndex;")}`, 1],
    [
      "template objects",
      `const tag = (parts) => parts;\n${macro("const t = tag`x`; return Object.keys(t).length;")}`,
      1,
    ],
    ["functions", `function f() {}\n${macro("f.count = (f.count ?? 0) + 1; return f.count;")}`, 1],
  ])("keeps no state: %s", async (_title, code, expected) => {
    expect(await outcomesOf(code)).toEqual([expected, expected, expected]);
  });

  it.each<[string, string, object]>([
    ["a syntax error", `\n\n${macro("return 1;")} )`, { kind: "invalid", line: 6 }],
    ["an import that is refused", `import "node:fs";\n${macro("")}`, { kind: "threw" }],
    ["an import of itself", `import "Probe";\n${macro("")}`, { kind: "threw" }],
    ["an import of the name that starts it", `import "/prelude/start.js";\n${macro("")}`, { kind: "threw" }],
    ["a name that does not exist", `import { nothing } from "@sallyport/macros";\n${macro("")}`, { kind: "invalid" }],
    ["no default export", "export const one = 1;", { kind: "invalid" }],
    ["an error at the top level", `\nnull.x;\n${macro("")}`, { kind: "threw", line: 2 }],
    ["null, which is thrown", `throw null;\n${macro("")}`, { kind: "threw" }],
    ["a promise that never settles", `await new Promise(() => {});\n${macro("")}`, { kind: "pending" }],
  ])("fails as the first time: %s", async (_title, code, expected) => {
    const [first, ...others] = await outcomesOf(code);
    expect(first).toMatchObject(expected);
    expect(others).toEqual([first, first]);
  });

  it("draws other numbers and logs again", async () => {
    const code = `const drawn = Math.random();\n${macro("log('began'); return drawn;")}`;
    expect(new Set(await outcomesOf(code)).size).toBe(3);
    expect(bench.lines).toEqual(["began"]);
  });

  it("is not taken for another one", async () => {
    for (const one of [1, 2, 1, 2]) expect(await bench.run(`return ${one};`)).toBe(one);
  });

  it("has the memory limit of its invocation", async () => {
    const code = `const text = "${"x".repeat(400_000)}";\n${macro("return text.length;")}`;
    const limited = { limits: { memory: 300_000 } };
    expect(await outcomesOf(code, 2)).toEqual([400_000, 400_000]);
    expect(await outcomesOf(code, 2, limited)).toEqual([
      expect.objectContaining({ kind: "memory" }),
      expect.objectContaining({ kind: "memory" }),
    ]);
  });

  it("is compiled again after many others", async () => {
    const large = (one: number): string =>
      `${macro(`return text === "" ? 0 : ${one};`)}\nconst text = "${"x".repeat(400_000)}";`;
    for (const one of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 1, 2, 12, 1])
      expect(await outcomesOf(large(one), 1)).toEqual([one]);
  });
});
