import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Jest's `globalSetup`: creates the directory of the run and passes it to the workers in an environment variable. */
export default function createRunDirectory(): void {
  process.env["SALLYPORT_TEST_RUN"] = mkdtempSync(join(tmpdir(), "sallyport-run-"));
}
