import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { processorTime } from "./processor-time.ts";

/** The line that tells what a run with this directory has cost so far; empty where the system does not tell. */
export function costOfRun(directory: string): string {
  const seconds = processorTime(`SALLYPORT_TEST_RUN=${directory}`);
  if (seconds === null) return "";
  const script = fileURLToPath(new URL("unit-script.js", import.meta.url));
  // Without the optimizing compiler, which works in the background, the engine costs the same each time.
  const unit = Number(execFileSync(process.execPath, ["--liftoff-only", script], { encoding: "utf8" }));
  const [units, time, size] = [(seconds / unit).toFixed(1), seconds.toFixed(0), unit.toFixed(1)];
  return `Cost: ${units} units (${time} s of processor time; one unit is ${size} s on this machine).\n`;
}
