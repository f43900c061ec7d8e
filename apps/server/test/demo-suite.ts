import { allCases } from "./cases/all-cases.ts";
import { runCases } from "./cases/run-cases.ts";
import { rawHttpSuite } from "./raw-http-suite.ts";
import type { Subject } from "./subject.ts";

/** The whole black-box suite against a server with the demo. */
export function demoSuite(subject: () => Subject): void {
  for (const [name, cases] of Object.entries(allCases)) describe(name, () => runCases(subject, cases));
  describe("raw HTTP", () => rawHttpSuite(subject));
}
