import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAdapter, CreateError } from "@sallyport/create-storage-adapter";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sallyport-adapter-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("creates a package with the name of its folder and dependencies of its own version", async () => {
  const target = await createAdapter(join(folder, "deep", "my-adapter"));
  const made = JSON.parse(readFileSync(join(target, "package.json"), "utf8"));
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../package.json"), "utf8"));
  expect(made).toMatchObject({
    name: "my-adapter",
    dependencies: { "@sallyport/core": version },
    devDependencies: { "@sallyport/conformance-kit": version },
  });
  const files = readdirSync(target, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.map(({ name }) => name)).toEqual(
    expect.arrayContaining([".gitignore", "README.md", "conformance.js", "engine.js"]),
  );
  for (const { parentPath, name } of files)
    expect(readFileSync(join(parentPath, name), "utf8")).not.toMatch(/\{\{\w+\}\}/);
});

test("accepts an empty folder", async () => {
  mkdirSync(join(folder, "empty"));
  expect(await createAdapter(join(folder, "empty"))).toBe(join(folder, "empty"));
});

test.each<[string, RegExp]>([
  ["full", /is not empty/],
  ["full/file", /is a file/],
  ["My Adapter", /is not a valid package name/],
  [`${"a".repeat(101)}`, /is not a valid package name/],
])("refuses %s and changes nothing", async (name, reason) => {
  mkdirSync(join(folder, "full"));
  writeFileSync(join(folder, "full", "file"), "mine");
  const refusal = await createAdapter(join(folder, name)).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(CreateError);
  expect((refusal as CreateError).message).toMatch(reason);
  expect(readdirSync(folder, { recursive: true })).toEqual(expect.arrayContaining(["full", "full/file"]));
  expect(readdirSync(folder, { recursive: true })).toHaveLength(2);
});
