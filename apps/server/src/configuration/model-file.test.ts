import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigurationError } from "./configuration-error.ts";
import { readModelFile } from "./model-file.ts";

describe("a model file", () => {
  let folder: string;
  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), "sallyport-"))));
  afterAll(() => rmSync(folder, { recursive: true }));

  function fileOf(text: string): string {
    const file = join(folder, "model.json");
    writeFileSync(file, text);
    return file;
  }

  test("gives a new database Employee and ContactPerson unless it is another", async () => {
    const names = (await readModelFile()).map(({ name }) => name);
    expect(names).toEqual(["User", "UserGroup", "Image", "File", "xRestApiUserProvider", "Employee", "ContactPerson"]);
    const other = await readModelFile(fileOf('{ "classes": [{ "name": "Note" }] }'));
    expect(other.at(-1)).toEqual({ name: "Note", base: null, attributes: [], rights: [] });
    expect(other.map(({ name }) => name)).not.toContain("Employee");
  });

  test("works as the guide shows it", async () => {
    const guide = readFileSync(join(import.meta.dirname, "../../../../docs/guides/classes.md"), "utf8");
    const classes = await readModelFile(fileOf(/```jsonc\n(.*?)```/s.exec(guide)?.[1] ?? ""));
    expect(classes.map(({ name }) => name)).toEqual(expect.arrayContaining(["User", "Department"]));
  });

  test.each([
    ["is no JSON", "{", "it is no JSON: "],
    [
      "has a member that is none",
      '{ "classes": [{ "name": "Note", "attributs": [] }] }',
      "at /classes/0: Unrecognized key",
    ],
    ["has a class without a name", '{ "classes": [{}] }', "at /classes/0/name: "],
    [
      "has a type that is none",
      '{ "classes": [{ "name": "Note", "attributes": [{ "name": "Text", "type": "text" }] }] }',
      "at /classes/0/attributes/0/type: ",
    ],
    [
      "has a definition that is refused",
      '{ "classes": [{ "name": "Note", "base": "Nothing" }] }',
      "at /classes/0/base: there is no such class.",
    ],
  ])("that %s is refused at its place", async (_what, text, reason) => {
    const file = fileOf(text);
    const error = await readModelFile(file).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect((error as Error).message).toContain(`The model file ${file} cannot be used: ${reason}`);
  });

  test("that is not there is refused", async () => {
    await expect(readModelFile(join(folder, "nothing.json"))).rejects.toThrow(/nothing\.json cannot be used: ENOENT/);
  });
});
