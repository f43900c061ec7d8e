import { jest } from "@jest/globals";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Ended, ServerProcess } from "./server-process.ts";

jest.setTimeout(60_000);

const folder = mkdtempSync(join(tmpdir(), "sallyport-macro-commands-"));
afterAll(() => rmSync(folder, { recursive: true }));

const run = (...args: string[]): Promise<Ended> => new ServerProcess(["macro", ...args], {}, folder).ended;
const read = (...path: string[]) => readFileSync(join(folder, ...path), "utf8");

describe("macro new", () => {
  test("writes a macro and its tests, and never over something", async () => {
    expect(await run("new", "Greet")).toEqual({ code: 0, stdout: "macros/Greet.ts\nmacros/Greet.test.json\n", stderr: "" });
    expect(read("macros", "Greet.ts")).toContain("defineMacro<Input>({");
    const again = await run("new", "Greet");
    expect(again).toMatchObject({ code: 1, stdout: "", stderr: expect.stringMatching(/^error: .*macros\/Greet\.ts is there already; nothing was changed\.\n$/) });
  });

  test("writes a hook of these classes, in JavaScript, into the folder named", async () => {
    const args = ["Tidy", "--hook", "beforeSave", "--classes", "Invoice, Customer", "--language", "js", "--directory", "other/place"];
    expect(await run("new", ...args)).toMatchObject({ code: 0, stdout: "other/place/Tidy.js\n" });
    expect(read("other", "place", "Tidy.js")).toContain('  on: "beforeSave",\n  classes: ["Invoice", "Customer"],\n');
  });

  test.each([
    [["new", "../Greet"], /^error: "\.\.\/Greet" is no name for a macro: a letter or _, then letters, digits and _, at most 128 in all\.\n$/],
    [["new", "Greet", "--hook", "whenever"], /'whenever' is invalid\. Allowed choices are .*beforeSave/],
  ])("%j is refused in plain words", async (args, words) => {
    expect(await run(...args)).toMatchObject({ code: 1, stdout: "", stderr: expect.stringMatching(words) });
  });
});
