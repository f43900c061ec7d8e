import { rmSync } from "node:fs";
import { runDirectory } from "./run-directory.ts";

/** Jest's `globalTeardown`. */
export default function removeRunDirectory(): void {
  rmSync(runDirectory(), { recursive: true, force: true });
}
