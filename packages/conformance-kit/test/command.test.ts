import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = join(import.meta.dirname, "modules");
const program = join(import.meta.dirname, "..", "dist", "main.js");

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command as a shell would, in the folder of the modules. */
function run(...args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { cwd: folder }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

test("an adapter that keeps the contract passes", async () => {
  const { code, stdout, stderr } = await run("memory.mjs", "--section", "lifecycle", "--check", "share one clock");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/^MemoryStorage$/m);
  expect(stdout).toMatch(/ 0 failed, 1 not applicable/);
});

test.each([
  ["a module that is not there", ["nowhere.mjs"], /There is no module .*nowhere\.mjs\./],
  [
    "a module that cannot be loaded",
    ["broken-module.mjs"],
    /broken-module\.mjs cannot be loaded: Error: no server answers/,
  ],
  [
    "a module without a default export",
    ["no-adapter.mjs"],
    /no-adapter\.mjs has no default export\. It has to be an AdapterUnderTest/,
  ],
  [
    "a default export that is no adapter",
    ["nameless.mjs"],
    /The default export of .*nameless\.mjs is no AdapterUnderTest/,
  ],
  ["an adapter that creates nothing", ["no-storage.mjs"], /NoStorage creates no storage: Error: no room/],
  ["no module", [], /The path of the adapter's module is missing/],
  ["two modules", ["memory.mjs", "other.mjs"], /what is "other\.mjs"\?/],
  ["an option that it does not have", ["memory.mjs", "--skip", "locks"], /--skip/],
  ["a section that it does not have", ["memory.mjs", "--section", "lcoks"], /There is no section "lcoks"/],
  ["a check that it does not have", ["memory.mjs", "--check", "is perfect"], /There is no check "is perfect"/],
])("%s is told in words, with exit code 2", async (_title, args, expected) => {
  const { code, stdout, stderr } = await run(...args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(expected);
  expect(stderr).not.toMatch(/^ {4}at /m);
});

test("an adapter that breaks the contract fails, with a command that runs a check alone", async () => {
  const { code, stdout, stderr } = await run("no-clock.mjs", "--section", "time");
  expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
  expect(stdout).toContain(
    'again     npx sallyport-conformance no-clock.mjs --check "moves with the offset of the clock"',
  );
  expect((await run("no-clock.mjs", "--check", "moves with the offset of the clock")).stdout).toMatch(
    /^1 of \d+ checks: 1 run, 0 passed, 1 failed/m,
  );
});

test("what is thrown beside the checks ends neither the run nor well", async () => {
  const { code, stdout } = await run("stray.mjs", "--check", "is healthy when it is migrated");
  expect(code).toBe(1);
  expect(stdout).toContain("thrown outside the checks, where it could not be caught: Error: nobody awaits this");
  expect(stdout).toMatch(/1 run, 1 passed, 0 failed/);
});

test("writes the report as data, and badges of all checks", async () => {
  const scratch = await mkdtemp(join(tmpdir(), "sallyport-kit-"));
  try {
    const [json, svg, endpoint] = ["report.json", "badge.svg", "badge.json"].map((name) => join(scratch, name)) as [
      string,
      string,
      string,
    ];
    expect(await run("memory.mjs", "--json", json, "--badge", svg)).toMatchObject({ code: 0 });
    expect(JSON.parse(await readFile(json, "utf8"))).toMatchObject({ format: "sallyport-conformance", complete: true });
    expect(await readFile(svg, "utf8")).toMatch(/^<svg .*checks passed/);
    expect(await run("no-clock.mjs", "--badge", endpoint)).toMatchObject({ code: 1 });
    expect(JSON.parse(await readFile(endpoint, "utf8"))).toMatchObject({
      schemaVersion: 1,
      message: expect.stringMatching(/checks failed$/),
    });
    expect(await run("memory.mjs", "--section", "time", "--badge", svg)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("A badge tells of all checks"),
    });
    expect(await run("memory.mjs", "--section", "time", "--json", join(scratch, "no", "report.json"))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("cannot be written"),
    });
  } finally {
    await rm(scratch, { recursive: true });
  }
}, 120_000);

test("lists its checks", async () => {
  const { code, stdout } = await run("--list", "--section", "time");
  expect(code).toBe(0);
  expect(stdout).toMatch(/^time\n(?: {2}\S.*\n)+$/);
});

test("explains itself", async () => {
  expect(await run("--help")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("Usage: sallyport-conformance"),
    stderr: "",
  });
});
