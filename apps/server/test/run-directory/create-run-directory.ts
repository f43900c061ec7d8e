import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Gives the run a directory, before it begins; the workers find it in their environment. */
export default function createRunDirectory(): void {
  process.env["SALLYPORT_TEST_RUN"] = mkdtempSync(join(tmpdir(), "sallyport-run-"));
}
