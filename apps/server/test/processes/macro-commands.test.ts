import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import { type RealPostgres, type ScratchDatabase, startRealPostgres } from "@sallyport/test-kit/databases/postgres";
import { runCommand, runOperator } from "./run-command.ts";
import type { Ended } from "./server-process.ts";

jest.setTimeout(240_000);

describe("macro commands", () => {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-macro-commands-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  const demo = join(import.meta.dirname, "../../macros/demo");

  // No test depends on how long a macro waits for a thread on a busy machine.
  const run = (...args: string[]): Promise<Ended> => runCommand(["macro", ...args], { MACRO_TIMEOUT: "1m" }, folder);
  const read = (...path: string[]) => readFileSync(join(folder, ...path), "utf8");

  describe("macro new", () => {
    test("writes a macro and its tests, and never overwrites a file", async () => {
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
        stderr: expect.stringMatching(/^error: .*macros\/Greet\.ts already exists\. Nothing was changed\.\n$/),
      });
    });

    test("writes no file if one of them exists", async () => {
      mkdirSync(join(folder, "half"));
      writeFileSync(join(folder, "half", "Greet.test.json"), "[]");
      expect(await run("new", "Greet", "--directory", "half")).toMatchObject({
        code: 1,
        stdout: "",
        stderr: expect.stringMatching(/^error: .*half\/Greet\.test\.json already exists\. Nothing was changed\.\n$/),
      });
      expect(readdirSync(join(folder, "half"))).toEqual(["Greet.test.json"]);
    });

    test("writes a hook of the given classes, in JavaScript, into the given folder", async () => {
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
        /^error: "\.\.\/Greet" is not a macro name: a letter or _, then letters, digits and _, at most 128 in all\.\n$/,
      ],
      [["new", "Greet", "--hook", "whenever"], /'whenever' is invalid\. Allowed choices are .*beforeSave/],
    ])("refuses %j in plain words", async (args, words) => {
      expect(await run(...args)).toMatchObject({ code: 1, stdout: "", stderr: expect.stringMatching(words) });
    });
  });

  describe("macro run", () => {
    test("prints the result of a client, and everything else separately", async () => {
      const { code, stdout, stderr } = await run(
        "run",
        "WhoAmI",
        "--as",
        "demo",
        "--app-name",
        "demo-app",
        "--directory",
        demo,
      );
      expect({ code, data: JSON.parse(stdout) }).toMatchObject({ code: 0, data: { user: "demo", apps: ["demo-app"] } });
      expect(stderr).toMatch(
        /^message {2}Hello, demo\ntime {5}\S+ ms in total, \S+ ms CPU\nAll changes were rolled back\.\n$/,
      );
    });

    test("shows the source position of an error, and exits with 1", async () => {
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
      [["Echo", "--as", "demo", "--input", "{"], /^error: --input is not valid JSON: /],
      [["Echo", "--as", "demo", "--input", "@nowhere.json"], /^error: --input is not valid JSON: ENOENT/],
      [["Echo", "--as", "demo", "--commit"], /^error: --commit requires --configured/],
      [
        ["Echo", "--as", "demo", "--directory", "nowhere"],
        /^error: The directory .*nowhere does not exist\. Create a macro with "sallyport-server macro new <name>"\.\n$/,
      ],
    ])("refuses %j in plain words", async (args, words) => {
      expect(await run("run", ...args)).toMatchObject({ code: 1, stdout: "", stderr: expect.stringMatching(words) });
    });
  });

  describe("macro test", () => {
    test("accepts the samples with their tests", async () => {
      const { code, stdout, stderr } = await run("test", "--directory", demo);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toMatch(/^ {2}ok {3}gives an invoice to a customer with the credit for it$/m);
      expect(stdout).toMatch(/\n22 passed, 0 failed\n$/);
    });

    test("reports failed tests and invalid macros, and exits with 1", async () => {
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
      expect(stdout).toMatch(/^Broken\n {2}FAIL loads\n {7}tested\/Broken\.js/);
      expect(stdout).toContain(
        "  ok   is right\n  FAIL is wrong\n       at /a/0: expected 2, found 1\n  FAIL fails not\n       expected 304, found success\n",
      );
      expect(stdout).toMatch(/\n1 passed, 3 failed\n$/);
    });
  });
});

describe("stored macros", () => {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-stored-macros-"));
  let postgres: RealPostgres;
  let scratch: ScratchDatabase;

  beforeAll(async () => {
    postgres = await startRealPostgres();
    scratch = await postgres.createDatabase();
    mkdirSync(join(folder, "macros"));
    expect(await macro("show", "A")).toMatchObject({ code: 1, stderr: expect.stringContaining("not migrated") });
    expect(await run("migrate")).toMatchObject({ code: 0 });
  });
  afterAll(async () => {
    await scratch.drop();
    await postgres.stop();
    rmSync(folder, { recursive: true });
  });

  const environment = () => ({ NODE_ENV: "production", DATABASE_URL: scratch.url });
  const run = (...args: string[]): Promise<Ended> => runCommand(args, environment(), folder);
  const macro = (verb: string, ...args: string[]): Promise<Ended> =>
    verb === "list" || verb === "history"
      ? runOperator(["macro", verb, ...args], environment(), folder)
      : run("macro", verb, ...args);
  const done = (stdout: string) => ({ code: 0, stdout, stderr: "" });
  const refused = (words: string) => ({ code: 1, stdout: "", stderr: `error: ${words}\n` });
  const moduleOf = (result: number) => `export default { run: () => ${result} };`;
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

  function write(file: string, content: string | Buffer): string {
    writeFileSync(join(folder, "macros", file), content);
    return join("macros", file);
  }

  test("are put, listed, shown and removed by commands, with their history", async () => {
    const text = 'export default { run() {\n\treturn "größe \u001b[31m";\n} };\r\n';
    expect(await macro("list")).toEqual({ code: 0, stdout: "", stderr: "There are no macros.\n" });
    expect(await macro("put", write("Report.js", text))).toEqual(done('Stored macro "Report" as version 1.\n'));
    expect(await macro("put", "macros/Report.js", "--by", "ada")).toEqual(
      done('The macro "Report" is identical to version 1. Nothing was changed.\n'),
    );
    expect(await macro("put", write("Alpha.js", moduleOf(1)), "--by", "ada", "--if-version", "0")).toEqual(
      done('Stored macro "Alpha" as version 1.\n'),
    );
    expect(await macro("put", write("Report.js", moduleOf(2)), "--by", "a\u001bb", "--if-version", "1")).toEqual(
      done('Stored macro "Report" as version 2.\n'),
    );
    expect(await macro("put", write("Report.js", moduleOf(3)), "--if-version", "1")).toEqual(
      refused('The current version of "Report" is 2. Nothing was changed.'),
    );

    expect((await macro("list")).stdout).toMatch(
      /^NAME +STATE +FROM +VERSION +FAULT\nAlpha +macro +database +1\s*\nReport +macro +database +2\s*\n$/,
    );
    expect(JSON.parse((await macro("list", "--json")).stdout)).toMatchObject([
      { name: "Alpha", version: 1, changedAt: time, changedBy: "ada" },
      { name: "Report", version: 2, changedAt: time, changedBy: "a\u001bb" },
    ]);

    // To the byte, so that it can be written to a file again.
    expect(await macro("show", "Report", "--version", "1")).toEqual(done(text));
    expect(await macro("show", "Report")).toEqual(done(moduleOf(2)));

    expect(await macro("remove", "Report", "--if-version", "1")).toEqual(
      refused('The version of "Report" is not the current one. Nothing was changed.'),
    );
    expect(await macro("remove", "Report", "--by", "bob")).toMatchObject(
      done(expect.stringMatching(/^Removed macro "Report"\./) as never),
    );
    expect(await macro("show", "Report")).toEqual(
      refused('The macro "Report" was removed. See "sallyport --local macro history Report".'),
    );
    expect(await macro("show", "Report", "--version", "3")).toEqual(
      refused('Version 3 of the macro "Report" is a removal.'),
    );
    expect(JSON.parse((await macro("history", "Report", "--json")).stdout)).toEqual([
      { version: 3, language: null, bytes: null, changedAt: time, changedBy: "bob" },
      { version: 2, language: "js", bytes: 32, changedAt: time, changedBy: "a\u001bb" },
      { version: 1, language: "js", bytes: Buffer.byteLength(text), changedAt: time, changedBy: userInfo().username },
    ]);
    const { stdout: history } = await macro("history", "Report");
    expect(history.split("\n").slice(0, 2)).toEqual([
      expect.stringMatching(/^VERSION +LANGUAGE +BYTES +CHANGED AT +BY$/),
      expect.stringMatching(/^3 +removed .* bob$/),
    ]);
  });

  test("refuse invalid files and unknown names in plain words", async () => {
    const unread: readonly (readonly [args: readonly string[], words: string])[] = [
      [[write("Report.txt", "1")], "macros/Report.txt: the file extension must be .js, .mjs, .ts, .mts."],
      [
        [write("my-report.ts", "1")],
        '"my-report" is not a macro name: a letter or _, then letters, digits and _, at most 128 in all.',
      ],
      [["macros/Missing.ts"], "The file macros/Missing.ts cannot be read."],
      [[write("Binary.js", Buffer.from([0xff, 0xfe, 0x00]))], "The file macros/Binary.js is not UTF-8."],
      [[write("Fine.js", moduleOf(1)), "--by", " "], "--by must have 1 to 255 characters."],
      [["macros/Fine.js", "--if-version", "-1"], "--if-version must be a version number."],
    ];
    const answers = await Promise.all(unread.map(([args]) => macro("put", ...args)));
    expect(answers).toEqual(unread.map(([, words]) => refused(words)));

    expect(await macro("put", write("Large.js", "x".repeat(262_145)))).toEqual(
      refused("The source is larger than 262144 bytes."),
    );
    const unclear = "export default {\n  run: ( => 1,\n};";
    expect(await macro("put", write("Unclear.js", unclear))).toEqual(
      refused("macros/Unclear.js:2:10 SyntaxError: unexpected token in expression: '=>'"),
    );
    expect(await macro("put", write("Empty.js", "export default {};"))).toEqual(
      refused("macros/Empty.js: run: A function is expected."),
    );
    expect(await macro("put", "macros/Fine.js", "--if-version", "4")).toEqual(refused('There is no macro "Fine".'));
    expect(await macro("show", "Nothing", "--version", "3")).toEqual(
      refused('There is no version 3 of the macro "Nothing".'),
    );
    expect(await macro("history", "Nothing")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("The database has no macro of this name."),
    });
    expect(await macro("remove", "__proto__")).toEqual(refused('There is no macro "__proto__".'));
  });
});
