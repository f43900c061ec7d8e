import type { SimulationFailure } from "./simulate.ts";

/** How the module gets its world. */
export interface ReproductionWorld {
  /** The import declarations that it needs. */
  readonly imports: readonly string[];
  /** An expression of the type `World`. */
  readonly expression: string;
}

/** The source of a module that runs under Node: a test that fails while the scenario has violations. */
export function reproductionModule(
  { seed, scenario, violations }: SimulationFailure,
  { imports, expression }: ReproductionWorld,
): string {
  const names = expression.startsWith("worldAt(") ? "runScenario, worldAt" : "runScenario";
  return [
    `// Found with the seed ${seed}.`,
    ...violations.map(({ kind, message }) => `// ${kind}: ${message.replaceAll("\n", " ")}`),
    'import assert from "node:assert/strict";',
    'import { test } from "node:test";',
    `import { ${names} } from "@sallyport/testing/devices";`,
    ...imports,
    "",
    "const scenario = {",
    `  devices: ${JSON.stringify(scenario.devices)},`,
    "  steps: [",
    ...scenario.steps.map((step) => `    ${JSON.stringify(step)},`),
    "  ],",
    "};",
    "",
    `const world = ${expression};`,
    "",
    'test("devices have what their users can read, and lose no edit", async () => {',
    "  assert.deepEqual(await runScenario(scenario, world), []);",
    "});",
    "",
  ].join("\n");
}
