import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand, usage } from "../src/create-adapter.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sallyport-adapter-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function run(...args: string[]) {
  const written = { out: "", err: "" };
  const code = await runCommand(args, {
    stdout: { write: (text) => (written.out += text) },
    stderr: { write: (text) => (written.err += text) },
  });
  return { code, ...written };
}

test("prints the next steps", async () => {
  const { code, out, err } = await run(join(folder, "my-adapter"));
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toContain(`Created ${join(folder, "my-adapter")}.`);
  expect(out).toContain("npm install\n  npm test\n");
});

test("prints its usage", async () => {
  expect(await run("--help")).toEqual({ code: 0, out: usage, err: "" });
  for (const args of [[], ["a", "b"], ["--force"]])
    expect(await run(...args)).toEqual({ code: 2, out: "", err: usage });
});

test("prints the reason for a failure", async () => {
  expect(await run(folder.toUpperCase())).toMatchObject({
    code: 1,
    out: "",
    err: expect.stringMatching(/^error: ".*" is not a valid package name/),
  });
});
