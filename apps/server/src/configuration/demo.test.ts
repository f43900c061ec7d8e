import { tmpdir } from "node:os";
import { demoMacros } from "./demo.ts";
import { loadConfiguration } from "./load-configuration.ts";

test("the demo says that another folder of macros replaces its own", () => {
  const warnings = (environment: Record<string, string>) =>
    loadConfiguration({ environment }).warnings.filter((each) => each.includes("MACROS_DIR"));
  expect(warnings({ MACROS_DIR: tmpdir() })).toEqual([
    expect.stringContaining("the sample macros of the demo, such as Echo, are not loaded"),
  ]);
  expect([warnings({}), warnings({ MACROS_DIR: demoMacros() ?? "" })]).toEqual([[], []]);
});
