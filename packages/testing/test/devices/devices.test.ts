import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { isFullRun } from "@sallyport/test-kit/scope";
import {
  reproductionModule,
  runScenario,
  type Scenario,
  scenarioOf,
  scenarios,
  simulate,
  type SimulationFailure,
  type World,
} from "@sallyport/testing/devices";
import { runCommand } from "../../src/devices/command.ts";
import { type BrokenPart, brokenParts } from "./broken-parts.ts";
import { referenceWorld } from "./reference-world.ts";

const maxSeeds = 15;
const omittedDeletions = brokenParts.find(({ fault }) => fault === "a server omits deletions") as BrokenPart;

/** The failure of the first failing seed. */
async function firstFailure(
  options: Omit<Parameters<typeof simulate>[0], "seed">,
  from = 1,
): Promise<SimulationFailure | null> {
  for (let seed = from; seed < from + maxSeeds; seed += 1) {
    const failure = await simulate({ ...options, seed });
    if (failure !== null) return failure;
  }
  return null;
}

describe("simulation", () => {
  test("finds nothing wrong with a correct server and the client", async () => {
    const world = referenceWorld();
    for (let seed = 1; seed <= (isFullRun ? 500 : 25); seed += 1)
      expect({ seed, failure: await simulate({ world, seed }) }).toEqual({ seed, failure: null });
  }, 600_000);

  test("accepts that a restore takes back a value that the user has replaced", async () => {
    const scenario: Scenario = {
      devices: [0],
      steps: [
        { kind: "backUp" },
        {
          kind: "edit",
          device: 0,
          edit: { kind: "create", object: 0, className: "Customer", fields: { City: "Oslo" } },
        },
        { kind: "sync", device: 0 },
        { kind: "edit", device: 0, edit: { kind: "change", object: 0, fields: { City: null } } },
        { kind: "restore" },
      ],
    };
    expect(await runScenario(scenario, referenceWorld())).toEqual([]);
  });

  test.each(brokenParts)("finds that $fault", async ({ create, reported, found }) => {
    const { world, parts = {} } = create();
    const violations =
      typeof found === "object"
        ? await runScenario(found, world, parts)
        : (await firstFailure({ world, parts, maxTries: 0 }, found))?.violations;
    expect(violations?.[0]?.kind).toBeDefined();
    expect(reported).toContain(violations?.[0]?.kind);
    if (typeof found === "object") expect(await runScenario(found, referenceWorld())).toEqual([]);
  });

  test("shrinks a failure to a few steps", async () => {
    const failure = await firstFailure(omittedDeletions.create());
    expect(failure?.scenario.steps.length).toBeLessThanOrEqual(6);
    expect(failure?.scenario.devices.length).toBeLessThanOrEqual(2);
  }, 120_000);
});

describe("scenario", () => {
  test("is the same for the same seed", () => {
    const size = { devices: 3, steps: 20 };
    expect(scenarioOf(7, size)).toEqual(scenarioOf(7, size));
    expect(scenarioOf(7, size)).not.toEqual(scenarioOf(8, size));
  });

  test("shrinks to the steps and devices that fail", () => {
    const fails = ({ steps }: Scenario) =>
      steps.some(({ kind }) => kind === "edit") && steps.some(({ kind }) => kind === "backUp");
    const sync = { kind: "sync", device: 1, faults: ["lost"] } as const;
    const edit = {
      kind: "edit",
      device: 0,
      edit: { kind: "create", object: 0, className: "Customer", fields: { Name: "a" } },
    } as const;
    const whole: Scenario = { devices: [0, 1], steps: [sync, edit, sync, { kind: "backUp" }, sync] };
    const property = fc.property(scenarios({ devices: 2, steps: 5 }), (scenario) => !fails(scenario));
    const { counterexample } = fc.check(property, { examples: [[whole]], numRuns: 1 });
    const created = { ...edit, edit: { ...edit.edit, fields: {} } };
    expect(counterexample).toEqual([{ devices: [0], steps: [created, { kind: "backUp" }] }]);
  });
});

describe("reproduction", () => {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-simulation-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  test("is a module that runs the scenario", async () => {
    mkdirSync(join(folder, "node_modules/@sallyport"), { recursive: true });
    symlinkSync(join(import.meta.dirname, "../.."), join(folder, "node_modules/@sallyport/testing"));
    const edit = { kind: "create", object: 0, className: "Customer", fields: {} } as const;
    const failure: SimulationFailure = {
      seed: 1,
      scenario: { devices: [0], steps: [{ kind: "edit", device: 0, edit }] },
      violations: [{ kind: "failure", message: "Something failed." }],
    };
    const world = { imports: ['import world1 from "./world.mjs";'], expression: "world1" };
    writeFileSync(join(folder, "failing.mjs"), reproductionModule(failure, world));
    const refusing = `export default {
      baseUrl: "http://127.0.0.1:9", adminKey: "", administrator: { user: "", password: "" },
      servers: [() => Promise.reject(new TypeError("no server"))],
    };`;
    writeFileSync(join(folder, "world.mjs"), refusing);
    const { status, stdout } = spawnSync(process.execPath, ["failing.mjs"], { cwd: folder, encoding: "utf8" });
    expect({ status, stdout }).toEqual({ status: 1, stdout: expect.stringContaining("The server cannot be reached") });
    expect(await runScenario(failure.scenario, referenceWorld())).toEqual([]);
  });
});

describe("command", () => {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-simulation-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  const run = async (args: readonly string[], stop?: AbortSignal) => {
    const [out, errors]: [string[], string[]] = [[], []];
    const terminal = {
      stdout: { write: (text: string) => out.push(text) },
      stderr: { write: (text: string) => errors.push(text) },
      env: {},
    };
    const code = await runCommand(args, terminal, stop);
    return { code, out: out.join(""), errors: errors.join("") };
  };

  test.each([
    [["--help"], 0, "Usage: sync-simulator"],
    [[], 2, "--url and --admin-key are required"],
    [["--seeds", "no"], 2, "--seeds must be an integer"],
    [["--unknown"], 2, "Unknown option '--unknown'"],
    [["--world", "/no/such/world.mjs"], 2, "cannot be loaded"],
    [["--url", "http://127.0.0.1:9", "--admin-key", "key"], 2, "The server cannot be reached"],
  ])("%j", async (args, code, text) => {
    const ended = await run(args);
    expect(ended.code).toBe(code);
    expect(ended.out + ended.errors).toContain(text);
  });

  let worlds = 0;
  /** The arguments for a world of this process. */
  const argumentsFor = (world: World) => {
    worlds += 1;
    const name = `simulatedWorld${worlds}`;
    Object.assign(globalThis, { [name]: world });
    const file = join(folder, `${name}.mjs`);
    writeFileSync(file, `export default globalThis.${name};`);
    return ["--world", file];
  };

  test("reports scenarios, also as JSON", async () => {
    const json = join(folder, "report.json");
    const { code, out } = await run([...argumentsFor(referenceWorld()), "--seeds", "3", "--json", json]);
    expect(code).toBe(0);
    expect(out).toMatch(/^✓ scenarios +3 passed/m);
    expect(JSON.parse(readFileSync(json, "utf8"))).toMatchObject({
      format: "sallyport-devices",
      totals: { checks: 3, passed: 3, failed: 0 },
    });
  });

  test("ends at the first failure, and tells how to repeat it", async () => {
    const { world } = omittedDeletions.create();
    const { code, out } = await run([...argumentsFor(world), "--seeds", "40"]);
    expect(code).toBe(1);
    expect(out).toMatch(/^✗ scenarios .*1 failed/m);
    expect(out).toMatch(
      /npx --package @sallyport\/testing sync-simulator --world \S+ --devices 3 --steps 16 --seeds 1 --seed \d/,
    );
    expect(out).toContain('import { runScenario } from "@sallyport/testing/devices";');
    expect(out).toMatch(/The scenario of seed \d+ fails\. It is shrunk to \d steps above\.\n$/);
  }, 120_000);

  test("ends at a signal", async () => {
    const { code, out } = await run(argumentsFor(referenceWorld()), AbortSignal.abort(130));
    expect(code).toBe(130);
    expect(out).toContain("Interrupted: the other scenarios did not run.");
  });
});
