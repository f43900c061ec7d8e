import { rmSync } from "node:fs";
import { runDirectory } from "../../../../packages/storage-pglite/test/run-directory.ts";

/** Takes the run's directory away when the run is over. */
export default function removeRunDirectory(): void {
  rmSync(runDirectory(), { recursive: true, force: true });
}
