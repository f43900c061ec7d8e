import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as core from "@sallyport/core";
import { type AdapterUnderTest, checks, runChecks } from "@sallyport/conformance-kit";

const template = fileURLToPath(new URL("../template", import.meta.url));
const packages = fileURLToPath(new URL("../..", import.meta.url));
const guide = readFileSync(join(packages, "../docs/guides/write-a-storage-adapter.md"), "utf8");

test("compiles against the ports", () => {
  const compiler = fileURLToPath(new URL("../../../node_modules/typescript/bin/tsc", import.meta.url));
  expect(existsSync(compiler)).toBe(true);
  try {
    execFileSync(process.execPath, [compiler, "-p", template], { encoding: "utf8", cwd: dirname(template) });
  } catch (error) {
    throw new Error((error as { stdout: string }).stdout, { cause: error });
  }
}, 120_000);

test("fails no check and reports everything as not written", async () => {
  const { default: adapter } = (await import(join(template, "conformance.js"))) as { default: AdapterUnderTest };
  const { results } = await runChecks(adapter);
  expect(results.filter(({ outcome }) => outcome === "failed").map(({ name, error }) => `${name}: ${error}`)).toEqual(
    [],
  );
  expect(results).toHaveLength(checks.length);
  expect(results.filter(({ outcome }) => outcome === "notImplemented").length).toBeGreaterThan(checks.length / 2);
});

test("has the numbers of ports and methods from the guide", () => {
  const folder = join(template, "src/repositories");
  const texts = readdirSync(folder).map((file) => readFileSync(join(folder, file), "utf8"));
  const methods = texts.map((text) => [...text.matchAll(/notImplemented\("/g)].length).filter((count) => count > 0);
  const sum = methods.reduce((total, count) => total + count, 0);
  expect(guide).toContain(`the ports, by area: ${methods.length} with ${sum} methods.`);
  expect(readFileSync(join(template, "../README.md"), "utf8")).toContain(`each of the ${methods.length} ports`);
});

test("can use the core rules named in the guide", () => {
  const [, table = ""] = /^\| Port \| Rules \|\n(.*?)\n\n/ms.exec(guide) ?? [];
  const rules = table.split("\n").flatMap((row) => [...(row.split("|")[2] ?? "").matchAll(/`(\w+)`/g)]);
  expect(rules.length).toBeGreaterThan(20);
  expect(rules.map(([, name]) => String(name)).filter((name) => !(name in core))).toEqual([]);
});

test.each(["core", "storage-memory", "conformance-kit", "create-storage-adapter"])(
  "depends on the package %s, which is published",
  (name) => {
    const { publishConfig } = JSON.parse(readFileSync(join(packages, name, "package.json"), "utf8")) as {
      readonly publishConfig?: unknown;
    };
    expect(publishConfig).toEqual({ access: "public" });
  },
);
