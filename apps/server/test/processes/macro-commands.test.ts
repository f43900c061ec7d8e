import { jest } from "@jest/globals";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Ended, ServerProcess } from "./server-process.ts";

jest.setTimeout(60_000);

const folder = mkdtempSync(join(tmpdir(), "sallyport-macro-commands-"));
afterAll(() => rmSync(folder, { recursive: true }));

const demo = join(import.meta.dirname, "../../macros/demo");

// No test is about how long a macro may wait for its turn on a busy machine.
const run = (...args: string[]): Promise<Ended> =>
  new ServerProcess(["macro", ...args], { MACRO_TIMEOUT: "1m" }, folder).ended;
const read = (...path: string[]) => readFileSync(join(folder, ...path), "utf8");

describe("macro new", () => {
  test("writes a macro and its tests, and never over something", async () => {
    expect(await run("new", "Greet")).toEqual({
      code: 0,
      stdout: "macros/Greet.ts\nmacros/Greet.test.json\n",
      stderr: "",
    });
    expect(read("macros", "Greet.ts")).toContain("defineMacro<Input>({");
    const again = await run("new", "Greet");
    expect(again).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^error: .*macros\/Greet\.ts is there already; nothing was changed\.\n$/),
    });
  });

  test("writes a hook of these classes, in JavaScript, into the folder named", async () => {
    const args = [
      "Tidy",
      "--hook",
      "beforeSave",
      "--classes",
      "Invoice, Customer",
      "--language",
      "js",
      "--directory",
      "other/place",
    ];
    expect(await run("new", ...args)).toMatchObject({ code: 0, stdout: "other/place/Tidy.js\n" });
    expect(read("other", "place", "Tidy.js")).toContain('  on: "beforeSave",\n  classes: ["Invoice", "Customer"],\n');
  });

  test.each([
    [
      ["new", "../Greet"],
      /^error: "\.\.\/Greet" is no name for a macro: a letter or _, then letters, digits and _, at most 128 in all\.\n$/,
    ],
    [["new", "Greet", "--hook", "whenever"], /'whenever' is invalid\. Allowed choices are .*beforeSave/],
  ])("%j is refused in plain words", async (args, words) => {
    expect(await run(...args)).toMatchObject({ code: 1, stdout: "", stderr: expect.stringMatching(words) });
  });
});

describe("macro run", () => {
  test("prints what clients would get, and everything else apart", async () => {
    const { code, stdout, stderr } = await run(
      "run",
      "WhoAmI",
      "--as",
      "demo",
      "--app",
      "demo-app",
      "--directory",
      demo,
    );
    expect({ code, data: JSON.parse(stdout) }).toMatchObject({ code: 0, data: { user: "demo", apps: ["demo-app"] } });
    expect(stderr).toMatch(
      /^message {2}Hello, demo\ntime {5}\S+ ms in all, \S+ ms of it running\nNothing of it was kept\.\n$/,
    );
  });

  test("shows the place of a fault in a file, and ends with 1", async () => {
    mkdirSync(join(folder, "faulty"));
    writeFileSync(
      join(folder, "faulty", "Faulty.ts"),
      [
        'import { defineMacro } from "@sallyport/macros";',
        "",
        "export default defineMacro({",
        "  run: ({ input }) => input.missing.part,",
        "});",
      ].join("\n"),
    );
    const { code, stdout, stderr } = await run(
      "run",
      "Faulty",
      "--as",
      "admin",
      "--input",
      "{}",
      "--directory",
      "faulty",
    );
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^error {4}500\/710 Unable to execute macro\n {9}faulty\/Faulty\.ts:4:\d+ TypeError: /);
    expect(stderr).toMatch(/^ {9}> 4 \| {3}run: \(\{ input \}\) => input\.missing\.part,\n {9} {4}\| +\^$/m);
  });

  test.each([
    [["Echo", "--as", "demo", "--input", "{"], /^error: --input is no JSON: /],
    [["Echo", "--as", "demo", "--input", "@nowhere.json"], /^error: --input is no JSON: ENOENT/],
    [["Echo", "--as", "demo", "--commit"], /^error: --commit goes together with --configured/],
    [
      ["Echo", "--as", "demo", "--directory", "nowhere"],
      /^error: There is no folder .*nowhere\. "sallyport-server macro new <name>" begins a macro\.\n$/,
    ],
  ])("%j is refused in plain words", async (args, words) => {
    expect(await run("run", ...args)).toMatchObject({ code: 1, stdout: "", stderr: expect.stringMatching(words) });
  });
});

describe("macro test", () => {
  test("finds that the samples do what their tests say", async () => {
    const { code, stdout, stderr } = await run("test", "--directory", demo);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^ {2}ok {3}gives an invoice to a customer with the credit for it$/m);
    expect(stdout).toMatch(/\n22 passed, 0 failed\n$/);
  });

  test("tells what is not as expected, and which files are no macros, and ends with 1", async () => {
    mkdirSync(join(folder, "tested"));
    writeFileSync(
      join(folder, "tested", "Same.js"),
      'import { defineMacro } from "@sallyport/macros";\nexport default defineMacro({ access: "everyone", run: ({ input }) => input });\n',
    );
    writeFileSync(join(folder, "tested", "Broken.js"), "export default 1;\n");
    const tests = [
      { title: "is right", as: "demo", input: { a: 1, b: 2 }, expect: { data: { a: 1 } } },
      { title: "is wrong", as: "demo", input: { a: [1] }, expect: { data: { a: [2] } } },
      { title: "fails not", as: "demo", expect: { code: 304 } },
    ];
    writeFileSync(join(folder, "tested", "Same.test.json"), JSON.stringify(tests));
    const { code, stdout } = await run("test", "--directory", "tested");
    expect(code).toBe(1);
    expect(stdout).toMatch(/^Broken\n {2}FAIL is a macro or a hook\n {7}tested\/Broken\.js/);
    expect(stdout).toContain(
      "  ok   is right\n  FAIL is wrong\n       at /a/0: expected 2, found 1\n  FAIL fails not\n       expected 304, found success\n",
    );
    expect(stdout).toMatch(/\n1 passed, 3 failed\n$/);
  });
});
