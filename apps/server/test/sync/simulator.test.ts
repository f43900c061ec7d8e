import { reproductionModule, runScenario, type Scenario, simulate, type Step } from "@sallyport/testing/devices";
import { isFullRun } from "@sallyport/test-kit/scope";
import { type SimulatedWorld, startSimulatedWorld } from "./simulated-world.ts";

const seeds = isFullRun ? 200 : 20;

/** A customer, and an invoice of another device that names it. Both devices have both. */
const named: readonly Step[] = [
  { kind: "edit", device: 0, edit: { kind: "create", object: 0, className: "Customer", fields: { Name: "named" } } },
  { kind: "sync", device: 0 },
  { kind: "edit", device: 1, edit: { kind: "create", object: 1, className: "Invoice", fields: { Copies: ["#0"] } } },
  { kind: "write", edit: { kind: "create", object: 2, className: "Customer", fields: { Parent: "#0" } } },
  { kind: "sync", device: 1 },
  { kind: "sync", device: 0 },
];

/** Scenarios that random ones meet too rarely. */
const scenarios: readonly (readonly [name: string, scenario: Scenario])[] = [
  [
    "the target of references is recycled and restored",
    {
      devices: [0, 1],
      steps: [
        ...named,
        { kind: "write", edit: { kind: "change", object: 2, fields: { Parent: null } } },
        { kind: "recycle", object: 0 },
        { kind: "sync", device: 1 },
        { kind: "restoreObject", object: 0 },
      ],
    },
  ],
  [
    "the target of references is recycled",
    {
      devices: [0, 1],
      steps: [
        ...named,
        { kind: "write", edit: { kind: "change", object: 2, fields: { Parent: null } } },
        { kind: "recycle", object: 0 },
      ],
    },
  ],
  [
    "the readers of the target of references are narrowed",
    { devices: [0, 1], steps: [...named, { kind: "readers", object: 0, readers: ["user 0"] }] },
  ],
];

/** Simulated devices against a server in this process, which is killed and restored. */
describe("simulated devices", () => {
  let world: SimulatedWorld;
  beforeAll(async () => {
    world = await startSimulatedWorld();
  }, 60_000);
  afterAll(() => world.close());

  test.each(scenarios)("no violation if %s", async (_, scenario) => {
    expect(await runScenario(scenario, world)).toEqual([]);
  });

  test(`${seeds} random scenarios show no violation`, async () => {
    for (let seed = 1; seed <= seeds; seed += 1) {
      const failure = await simulate({ world, seed, steps: 12 });
      expect(failure && reproductionModule(failure, { imports: [], expression: "world" })).toBeNull();
    }
  }, 300_000);
});
