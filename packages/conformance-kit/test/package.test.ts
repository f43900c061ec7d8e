import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, posix } from "node:path";
import { promisify } from "node:util";
import {
  appliesTo,
  numberOfProviderChecks,
  providerChecks,
  providerFaults,
  runProviderCheck,
} from "@sallyport/conformance-kit";
import { startFakeProviders, type FakeProviders } from "@sallyport/test-kit/providers/fake-providers";
import { isFullRun } from "@sallyport/test-kit/scope";
import { providerUnderTest } from "@sallyport/test-kit/providers/provider-under-test";
import { type Hole, holes, NaiveProvider } from "./identity-providers/naive-provider.ts";

describe("command", () => {
  const folder = join(import.meta.dirname, "modules");
  const program = join(import.meta.dirname, "..", "dist", "main.js");

  interface Ended {
    readonly code: number;
    readonly stdout: string;
    readonly stderr: string;
  }

  /** Runs the command like a shell in the folder of the modules. */
  function run(...args: readonly string[]): Promise<Ended> {
    return new Promise((resolve) => {
      execFile(process.execPath, [program, ...args], { cwd: folder }, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
      });
    });
  }

  test("passes a correct adapter", async () => {
    const { code, stdout, stderr } = await run(
      "memory.mjs",
      "--section",
      "lifecycle",
      "--check",
      "shares one clock across processes",
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^MemoryStorage$/m);
    expect(stdout).toMatch(/ 0 failed, 1 not applicable/);
  });

  test.each([
    ["a missing module", ["nowhere.mjs"], /The module .*nowhere\.mjs does not exist\./],
    [
      "a module that fails to load",
      ["broken-module.mjs"],
      /broken-module\.mjs cannot be loaded: Error: no server answers/,
    ],
    [
      "a module without a default export",
      ["no-adapter.mjs"],
      /no-adapter\.mjs has no default export\. Export an AdapterUnderTest/,
    ],
    ["an invalid default export", ["nameless.mjs"], /The default export of .*nameless\.mjs is not an AdapterUnderTest/],
    ["an adapter without a storage", ["no-storage.mjs"], /NoStorage cannot create a storage: Error: no room/],
    ["no module", [], /The path of the adapter module is missing/],
    ["two modules", ["memory.mjs", "other.mjs"], /Unexpected argument "other\.mjs"/],
    ["an unknown option", ["memory.mjs", "--skip", "locks"], /--skip/],
    ["an unknown section", ["memory.mjs", "--section", "lcoks"], /There is no section "lcoks"/],
    ["an unknown check", ["memory.mjs", "--check", "is perfect"], /There is no check "is perfect"/],
  ])("reports %s with exit code 2", async (_title, args, expected) => {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(expected);
    expect(stderr).not.toMatch(/^ {4}at /m);
  });

  test("fails a broken adapter and prints a command that runs a check alone", async () => {
    const { code, stdout, stderr } = await run("no-clock.mjs", "--section", "time");
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
    expect(stdout).toContain(
      'rerun     npx sallyport-conformance no-clock.mjs --check "moves with the offset of the clock"',
    );
    expect((await run("no-clock.mjs", "--check", "moves with the offset of the clock")).stdout).toMatch(
      /^1 of \d+ checks: 1 run, 0 passed, 1 failed/m,
    );
  });

  test("completes the run and fails after an error outside the checks", async () => {
    const { code, stdout } = await run("stray.mjs", "--check", "is healthy after the migration");
    expect(code).toBe(1);
    expect(stdout).toContain("uncaught error outside the checks: Error: nobody awaits this");
    expect(stdout).toMatch(/1 run, 1 passed, 0 failed/);
  });

  test("writes a JSON report, and badges of complete runs", async () => {
    const scratch = await mkdtemp(join(tmpdir(), "sallyport-kit-"));
    try {
      const [json, svg, endpoint] = ["report.json", "badge.svg", "badge.json"].map((name) => join(scratch, name)) as [
        string,
        string,
        string,
      ];
      expect(await run("memory.mjs", "--json", json, "--badge", svg)).toMatchObject({ code: 0 });
      expect(JSON.parse(await readFile(json, "utf8"))).toMatchObject({
        format: "sallyport-conformance",
        complete: true,
      });
      expect(await readFile(svg, "utf8")).toMatch(/^<svg .*checks passed/);
      expect(await run("no-clock.mjs", "--badge", endpoint)).toMatchObject({ code: 1 });
      expect(JSON.parse(await readFile(endpoint, "utf8"))).toMatchObject({
        schemaVersion: 1,
        message: expect.stringMatching(/checks failed$/),
      });
      expect(await run("memory.mjs", "--section", "time", "--badge", svg)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("--badge cannot be combined"),
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

  test("prints its usage", async () => {
    expect(await run("--help")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Usage: sallyport-conformance"),
      stderr: "",
    });
  });
});

describe("package", () => {
  const packages = join(import.meta.dirname, "..", "..");

  interface Manifest {
    readonly bin?: Readonly<Record<string, string>>;
    readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
    readonly dependencies?: Readonly<Record<string, string>>;
  }

  /** The paths of the files that would be published, according to npm. */
  async function packed(name: string): Promise<ReadonlySet<string>> {
    const { stdout } = await promisify(execFile)(
      "npm",
      ["pack", "--dry-run", "--json", "--ignore-scripts", "--offline"],
      { cwd: join(packages, name) },
    );
    const [{ files }] = JSON.parse(stdout) as [{ readonly files: readonly { readonly path: string }[] }];
    return new Set(files.map(({ path }) => path));
  }

  const read = (name: string, path: string) => readFileSync(join(packages, name, path), "utf8");

  /** The imports of a built file. */
  function importsOf(text: string): string[] {
    return Array.from(text.matchAll(/^(?:import|export) .*from "([^"]+)";$/gm), ([, specifier]) => String(specifier));
  }

  /** The package of an imported name. */
  const packageOf = (specifier: string) =>
    specifier
      .split("/")
      .slice(0, specifier.startsWith("@") ? 2 : 1)
      .join("/");

  /** Milliseconds for npm to start. */
  const timeout = 120_000;

  describe.each(["core", "storage-memory", "conformance-kit"])("the package %s", (name) => {
    const manifest = JSON.parse(read(name, "package.json")) as Manifest;
    let files: ReadonlySet<string> = new Set();

    beforeAll(async () => {
      files = await packed(name);
    }, timeout);

    test("contains its exports and commands, and neither sources nor tests", () => {
      const exported = Object.values(manifest.exports).flatMap((each) =>
        typeof each === "string" ? [each] : Object.values(each),
      );
      for (const path of [...exported, ...Object.values(manifest.bin ?? {})])
        expect([...files]).toContain(posix.normalize(path));
      expect([...files].filter((path) => /\.test\.|tsbuildinfo|^src\/|^test\//.test(path))).toEqual([]);
    });

    test("imports only itself and its dependencies", () => {
      const modules = [...files].filter((path) => path.endsWith(".js"));
      expect(modules.length).toBeGreaterThan(2);
      const missing = modules.flatMap((path) =>
        importsOf(read(name, path)).filter((specifier) => {
          if (specifier.startsWith(".")) return !files.has(posix.join(posix.dirname(path), specifier));
          return !specifier.startsWith("node:") && manifest.dependencies?.[packageOf(specifier)] === undefined;
        }),
      );
      expect(missing).toEqual([]);
    });
  });

  test(
    "the kit contains its command, its declarations, the schema of its report, and a page to read",
    async () => {
      const files = await packed("conformance-kit");
      for (const path of ["dist/main.js", "dist/index.d.ts", "report.schema.json", "README.md"])
        expect([...files]).toContain(path);
      expect(read("conformance-kit", "dist/main.js")).toMatch(/^#!\/usr\/bin\/env node\n/);
      const folder = join(packages, "conformance-kit");
      for (const [, link] of read("conformance-kit", "README.md").matchAll(/\]\((?!https?:|#)([^)#]+)/g))
        expect(existsSync(join(dirname(join(folder, "README.md")), String(link)))).toBe(true);
    },
    timeout,
  );
});

describe("provider checks", () => {
  let world: FakeProviders;

  beforeAll(async () => {
    world = await startFakeProviders();
  });

  afterAll(() => world.close());

  /** The checks that a provider with these holes fails, among those with these names. */
  async function failing(wanted: readonly Hole[], isTried = (_name: string) => true): Promise<string[]> {
    const underTest = {
      ...providerUnderTest(world, "google"),
      create: ({ timeout }: { timeout: number }) => new NaiveProvider(world.fakes.url, timeout, wanted),
    };
    const failed: string[] = [];
    for (const check of providerChecks.filter((each) => appliesTo(underTest, each) && isTried(each.name))) {
      await runProviderCheck(underTest, check).catch(() => failed.push(check.name));
    }
    return failed;
  }

  const faulty = (name: (typeof providerFaults)[number]["name"]) => {
    const { does, code } = providerFaults.find((each) => each.name === name)!;
    return `fails with ${code} if the provider ${does}`;
  };

  const afterFailures = expect.arrayContaining([faulty("serverError"), faulty("unsigned")]);

  /** The exact failures of each hole. */
  const caught: Readonly<Record<Hole, unknown>> = {
    trustsSignatures: [
      faulty("foreignSignature"),
      faulty("unknownKey"),
      faulty("unsigned"),
      faulty("signedByPublicKey"),
    ],
    takesAnyAlgorithm: [faulty("unsigned"), faulty("signedByPublicKey")],
    takesAnyKey: [faulty("unknownKey"), faulty("unsigned"), faulty("noProof")],
    ignoresAudience: [faulty("otherAudience")],
    ignoresParty: [faulty("otherParty")],
    ignoresIssuer: [faulty("otherIssuer")],
    ignoresExpiry: [faulty("expired")],
    needsNoExpiry: [faulty("noExpiry")],
    ignoresNonce: ["refuses a token for another nonce with 324", faulty("noNonce"), faulty("otherNonce")],
    needsNoSubject: [faulty("noSubject")],
    ignoresState: ["refuses a callback of another log-in with 324"],
    sendsNoChallenge: expect.arrayContaining(["sends the S256 challenge of the code verifier"]),
    sendsNoVerifier: expect.arrayContaining([
      "returns the same identity at every log-in of a user, and different identities for different users",
    ]),
    begetsStates: expect.arrayContaining(["returns a log-in address with state and callback, and without secrets"]),
    showsSecret: ["returns a log-in address with state and callback, and without secrets"],
    takesAnyCallback: ["refuses a code for another callback address with 324"],
    identifiesByMail: [
      "returns the same identity at every log-in of a user, and different identities for different users",
    ],
    followsRedirects: [faulty("redirects")],
    readsAnything: [faulty("huge")],
    readsRepetitions: [faulty("memberTwice")],
    readsAnyType: [faulty("otherType")],
    waitsForEver: [faulty("hangs"), faulty("trickles")],
    repeatsRefusals: expect.arrayContaining([faulty("refusesClient")]),
    blamesTheUser: [faulty("serverError")],
    fallsSilentAfterFailure: afterFailures,
    asksTwice: expect.arrayContaining(["accepts a code once, in twenty concurrent calls and afterwards"]),
    acceptsAnything: expect.arrayContaining([
      "refuses additional data that are not an object with 608",
      "refuses missing or malformed additional data with 608, without repeating a value",
    ]),
    acceptsNothingTwice: expect.arrayContaining(["accepts additional data, and its own result again"]),
    repeatsData: ["refuses missing or malformed additional data with 608, without repeating a value"],
    checksNothing: ["passes the check of data that the provider knows"],
    failsInItsOwnWords: expect.arrayContaining([faulty("notJson"), faulty("hangs")]),
  };

  test("passes a provider without holes", async () => {
    expect(await failing([])).toEqual([]);
  });

  test.each(holes)("fails a provider that %s", async (hole) => {
    const expected = caught[hole];
    const names = Array.isArray(expected) ? expected : (expected as { readonly sample: string[] }).sample;
    // The full run also proves that no other check fails.
    expect(await failing([hole], isFullRun ? undefined : (name) => names.includes(name))).toEqual(expected);
  });

  test("have the declared number and unique names", () => {
    expect(providerChecks).toHaveLength(numberOfProviderChecks);
    expect(new Set(providerChecks.map(({ name }) => name)).size).toBe(numberOfProviderChecks);
  });
});
