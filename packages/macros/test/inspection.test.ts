import { Bench, macro } from "./runtime.ts";

const bench = new Bench();
afterAll(() => bench.runtime.close());

const sound = "export default { access: 'everyone', run: (x: number): number => x };";

describe("texts that are made to harm whoever reads them", () => {
  it.each([
    ["deep brackets", "(".repeat(200_000)],
    ["deep arrays", `export default ${"[".repeat(100_000)}`],
    ["deep types", `type A = ${"Array<".repeat(50_000)}1`],
    ["deep templates", "`${".repeat(50_000)],
    ["deep functions", "() => ".repeat(50_000)],
    ["many operators", `export default { a: ${"1 + ".repeat(100_000)}1 };`],
    ["a zero", "export default { run() { return '\u0000'; } };\u0000 what is this"],
    ["half a character", "export default { run() {} }; '\ud800"],
    ["nothing", ""],
    ["something that is no text of a program", "\u0001\u0002\ufffe"],
  ])("%s: as TypeScript and as JavaScript", async (_title, text) => {
    await bench.declare(text, "ts").catch((error: unknown) => expect(error).toMatchObject({ name: "MacroFault" }));
    await bench.declare(text, "js").catch((error: unknown) => expect(error).toMatchObject({ name: "MacroFault" }));
    expect(await bench.declare(sound, "ts")).toEqual({ access: "everyone", run: true });
  });
});

it("keeps lines and columns of TypeScript", async () => {
  const text =
    "import { defineMacro } from '@sallyport/macros';\ninterface Input {\n  a: number;\n}\nexport default defineMacro({\n  run({ input }: { input: Input }) {\n    throw new Error(`${input.a satisfies number}`);\n  },\n});";
  const { module } = await bench.runtime.inspect({ name: "Probe", code: text }, "ts");
  expect(module.code.split("\n")).toHaveLength(text.split("\n").length);
  await expect(bench.invoke(module.code, { input: { a: 5 } })).rejects.toMatchObject({ message: "5", line: 7 });
});

it("says where TypeScript is wrong", async () => {
  await expect(bench.declare("export default {};\n\n  enum A { B }", "ts")).rejects.toMatchObject({
    kind: "invalid",
    line: 3,
    column: 3,
  });
  await expect(bench.declare("const a: number = ;", "ts")).rejects.toMatchObject({
    kind: "invalid",
    message: "Expression expected",
    line: 1,
    column: 19,
  });
});

it("reads no more of a declaration than is data", async () => {
  const members =
    "access: 'everyone', a: undefined, b: Symbol.iterator, c: { d: () => 1, e: [1] }, get f() { return 2; }, [Symbol('g')]: 1,";
  expect(await bench.declare(macro("", members))).toEqual({ access: "everyone", c: { e: [1] }, f: 2, run: true });
});

it("ends a top level that never ends, or declares too much", async () => {
  await expect(bench.declare("for (;;);")).rejects.toMatchObject({ kind: "cpu" });
  await expect(bench.declare("export default { a: 'x'.repeat(1_000_000) };")).rejects.toMatchObject({
    kind: "resultBytes",
  });
  await expect(bench.declare("export default { get a() { throw new Error('no'); } };")).rejects.toMatchObject({
    kind: "threw",
  });
});
