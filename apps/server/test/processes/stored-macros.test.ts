import { jest } from "@jest/globals";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import {
  type RealPostgres,
  type ScratchDatabase,
  startRealPostgres,
} from "../../../../packages/storage-knex/test/real-postgres.ts";
import { type Ended, ServerProcess } from "./server-process.ts";

jest.setTimeout(240_000);

const folder = mkdtempSync(join(tmpdir(), "sallyport-stored-macros-"));
let postgres: RealPostgres;
let scratch: ScratchDatabase;

beforeAll(async () => {
  postgres = await startRealPostgres();
  scratch = await postgres.createDatabase();
  mkdirSync(join(folder, "macros"));
  expect(await macro("list")).toMatchObject({ code: 1, stderr: expect.stringContaining("not migrated") });
  expect(await run("migrate")).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await scratch.drop();
  await postgres.stop();
  rmSync(folder, { recursive: true });
});

const run = (...args: string[]): Promise<Ended> =>
  new ServerProcess(args, { NODE_ENV: "production", DATABASE_URL: scratch.url }, folder).ended;
const macro = (...args: string[]) => run("macro", ...args);
const done = (stdout: string) => ({ code: 0, stdout, stderr: "" });
const refused = (words: string) => ({ code: 1, stdout: "", stderr: `error: ${words}\n` });
const moduleOf = (result: number) => `export default { run: () => ${result} };`;
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

function write(file: string, content: string | Buffer): string {
  writeFileSync(join(folder, "macros", file), content);
  return join("macros", file);
}

test("macros are put, listed, shown, looked back at and removed by commands", async () => {
  const text = 'export default { run() {\n\treturn "größe \u001b[31m";\n} };\r\n';
  expect(await macro("list")).toEqual({ code: 0, stdout: "", stderr: "There are no macros.\n" });
  expect(await macro("put", write("Report.js", text))).toEqual(done('The macro "Report" is stored as version 1.\n'));
  expect(await macro("put", "macros/Report.js", "--by", "ada")).toEqual(
    done('The macro "Report" is the same as version 1; nothing was changed.\n'),
  );
  expect(await macro("put", write("Alpha.js", moduleOf(1)), "--by", "ada", "--if-version", "0")).toEqual(
    done('The macro "Alpha" is stored as version 1.\n'),
  );
  expect(await macro("put", write("Report.js", moduleOf(2)), "--by", "a\u001bb", "--if-version", "1")).toEqual(
    done('The macro "Report" is stored as version 2.\n'),
  );
  expect(await macro("put", write("Report.js", moduleOf(3)), "--if-version", "1")).toEqual(
    refused('The current version of "Report" is 2; nothing was changed.'),
  );

  const { stdout: table } = await macro("list");
  expect(
    table
      .trimEnd()
      .split("\n")
      .map((line) => line.replace(/\d{4}-\S+Z/, "TIME").split(/ {2,}/)),
  ).toEqual([
    ["NAME", "LANGUAGE", "VERSION", "BYTES", "CHANGED", "BY"],
    ["Alpha", "js", "1", "32", "TIME", "ada"],
    ["Report", "js", "2", "32", "TIME", "a\\u{1b}b"],
  ]);
  expect(JSON.parse((await macro("list", "--json")).stdout)).toEqual([
    { name: "Alpha", language: "js", version: 1, bytes: 32, changedAt: time, changedBy: "ada" },
    { name: "Report", language: "js", version: 2, bytes: 32, changedAt: time, changedBy: "a\u001bb" },
  ]);

  // To the byte, so that it can be a file again.
  expect(await macro("show", "Report", "--version", "1")).toEqual(done(text));
  expect(await macro("show", "Report")).toEqual(done(moduleOf(2)));

  expect(await macro("remove", "Report", "--if-version", "1")).toEqual(
    refused('The current version of "Report" is another one; nothing was changed.'),
  );
  expect(await macro("remove", "Report", "--by", "bob")).toMatchObject(
    done(expect.stringMatching(/^The macro "Report" is removed\./) as never),
  );
  expect(await macro("show", "Report")).toEqual(
    refused('The macro "Report" was removed. "macro history Report" lists what it was.'),
  );
  expect(await macro("show", "Report", "--version", "3")).toEqual(
    refused('Version 3 of the macro "Report" is its removal.'),
  );
  expect(JSON.parse((await macro("history", "Report", "--json")).stdout)).toEqual([
    { version: 3, language: null, bytes: null, changedAt: time, changedBy: "bob" },
    { version: 2, language: "js", bytes: 32, changedAt: time, changedBy: "a\u001bb" },
    { version: 1, language: "js", bytes: Buffer.byteLength(text), changedAt: time, changedBy: userInfo().username },
  ]);
  const { stdout: history } = await macro("history", "Report");
  expect(history.split("\n").slice(0, 2)).toEqual([
    expect.stringMatching(/^VERSION +LANGUAGE +BYTES +CHANGED +BY$/),
    expect.stringMatching(/^3 +removed +\S+Z +bob$/),
  ]);
});

test("what is no macro, and what is not there, is refused in plain words", async () => {
  const unread: readonly (readonly [args: readonly string[], words: string])[] = [
    [[write("Report.txt", "1")], "macros/Report.txt: a macro is a file that ends in .js, .mjs, .ts, .mts."],
    [
      [write("my-report.ts", "1")],
      '"my-report" cannot be the name of a macro: a letter or _, then letters, digits and _, 128 at most.',
    ],
    [["macros/Missing.ts"], "The file macros/Missing.ts cannot be read."],
    [[write("Binary.js", Buffer.from([0xff, 0xfe, 0x00]))], "The file macros/Binary.js is no text in UTF-8."],
    [[write("Fine.js", moduleOf(1)), "--by", " "], "--by takes a name of 1 to 255 characters."],
    [["macros/Fine.js", "--if-version", "-1"], "--if-version takes the number of a version."],
  ];
  const answers = await Promise.all(unread.map(([args]) => macro("put", ...args)));
  expect(answers).toEqual(unread.map(([, words]) => refused(words)));

  expect(await macro("put", write("Large.js", "x".repeat(262_145)))).toEqual(
    refused("The text has more than 262144 bytes."),
  );
  const unclear = "export default {\n  run: ( => 1,\n};";
  expect(await macro("put", write("Unclear.js", unclear))).toEqual(
    refused("macros/Unclear.js:2:10 SyntaxError: unexpected token in expression: '=>'"),
  );
  expect(await macro("put", write("Empty.js", "export default {};"))).toEqual(
    refused("macros/Empty.js: There is no function run."),
  );
  expect(await macro("put", "macros/Fine.js", "--if-version", "4")).toEqual(refused('There is no macro "Fine".'));
  expect(await macro("show", "Nothing", "--version", "3")).toEqual(
    refused('There is no version 3 of the macro "Nothing".'),
  );
  expect(await macro("history", "Nothing")).toEqual(refused('There never was a macro "Nothing".'));
  expect(await macro("remove", "__proto__")).toEqual(refused('There is no macro "__proto__".'));
});
