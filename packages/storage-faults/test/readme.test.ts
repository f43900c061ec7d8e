import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { faults } from "@sallyport/storage-faults";

const run = promisify(execFile);
const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
const examples = Array.from(readme.matchAll(/^```js\n(.*?)^```$/gms), ([, code]) => code ?? "");

test("the README contains examples", () => {
  expect(examples).toHaveLength(3);
});

test.each(examples.map((code, index) => [index + 1, code] as const))(
  "runs example %i with the documented result",
  async (_number, code) => {
    const cwd = fileURLToPath(new URL("..", import.meta.url));
    await expect(run(process.execPath, ["--input-type=module", "--eval", code], { cwd })).resolves.toMatchObject({
      stderr: "",
    });
  },
);

test("the README explains every fault", () => {
  const rows = readme.split("\n").filter((line) => line.startsWith("| `"));
  const explained = rows.flatMap((row) =>
    Array.from((row.split("|")[1] ?? "").matchAll(/`(\w+)/g), ([, name]) => name),
  );
  expect(explained.toSorted()).toEqual(Object.keys(faults).toSorted());
});
