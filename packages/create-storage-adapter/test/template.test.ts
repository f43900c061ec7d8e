import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type AdapterUnderTest, checks, runChecks } from "@sallyport/conformance-kit";

const template = fileURLToPath(new URL("../template", import.meta.url));

test("fits the ports", () => {
  const compiler = fileURLToPath(new URL("../../../node_modules/typescript/bin/tsc", import.meta.url));
  expect(existsSync(compiler)).toBe(true);
  try {
    execFileSync(process.execPath, [compiler, "-p", template], { encoding: "utf8", cwd: dirname(template) });
  } catch (error) {
    throw new Error((error as { stdout: string }).stdout, { cause: error });
  }
}, 120_000);

test("fails in nothing, as it is all to be written", async () => {
  const { default: adapter } = (await import(join(template, "conformance.js"))) as { default: AdapterUnderTest };
  const { results } = await runChecks(adapter);
  expect(results.filter(({ outcome }) => outcome === "failed").map(({ name, error }) => `${name}: ${error}`)).toEqual(
    [],
  );
  expect(results).toHaveLength(checks.length);
  expect(results.filter(({ outcome }) => outcome === "toWrite").length).toBeGreaterThan(checks.length / 2);
});
