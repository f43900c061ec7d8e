import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Jest's global set-up: creates the directory of the run. The workers find it in their environment. */
export default function createRunDirectory(): void {
  process.env["SALLYPORT_TEST_RUN"] = mkdtempSync(join(tmpdir(), "sallyport-run-"));
}
