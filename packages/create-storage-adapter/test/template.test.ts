import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type AdapterUnderTest, checks, runChecks } from "@sallyport/conformance-kit";
import { createAdapter, CreateError } from "@sallyport/create-storage-adapter";
import { runCommand, usage } from "../src/create-adapter.ts";

describe("template", () => {
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

  test("has the number of methods from the guide", () => {
    const kernel = readFileSync(join(template, "src/kernel.js"), "utf8");
    const methods = kernel.match(/^ {2}async \w+\(/gm) ?? [];
    // The reader and the transaction have them, and the kernel has its version and capabilities.
    expect(methods).toHaveLength(13);
    for (const text of [guide, readFileSync(join(template, "README.md"), "utf8")]) expect(text).toContain("13 methods");
  });

  test.each(["storage", "storage-memory", "conformance-kit", "create-storage-adapter"])(
    "depends on the package %s, which is published",
    (name) => {
      const { publishConfig } = JSON.parse(readFileSync(join(packages, name, "package.json"), "utf8")) as {
        readonly publishConfig?: unknown;
      };
      expect(publishConfig).toEqual({ access: "public" });
    },
  );
});

describe("mutex", () => {
  test("runs work in order of arrival despite failures and abandoned waits", async () => {
    const { Mutex } = (await import(join(import.meta.dirname, "../template/src/mutex.js"))) as {
      readonly Mutex: new () => { run<T>(work: () => Promise<T>, waitTimeout?: number): Promise<T> };
    };
    const mutex = new Mutex();
    const log: string[] = [];
    let finish = () => {};
    const first = mutex.run(async () => {
      log.push("first");
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      log.push("first is over");
    });
    const timedOut = mutex.run(async () => void log.push("never"), 1);
    const failing = mutex.run(async () => {
      log.push("third");
      throw new Error("mine");
    });
    const last = mutex.run(async () => log.push("last"));
    await expect(timedOut).rejects.toMatchObject({ code: 607 });
    finish();
    await expect(failing).rejects.toThrow("mine");
    await Promise.all([first, last]);
    expect(log).toEqual(["first", "first is over", "third", "last"]);
  });
});

describe("create adapter", () => {
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
      dependencies: { "@sallyport/storage": version },
      devDependencies: { "@sallyport/conformance-kit": version },
    });
    const files = readdirSync(target, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files.map(({ name }) => name)).toEqual(
      expect.arrayContaining([".gitignore", "README.md", "conformance.js", "kernel.js"]),
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
});

describe("run command", () => {
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
});
