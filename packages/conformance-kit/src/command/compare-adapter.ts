import { randomInt } from "node:crypto";
import { described } from "../assert/described.ts";
import { compareAdapters, memoryReference } from "../differential/index.ts";
import { differentialReport, differentialWords } from "../reports/differential-report.ts";
import type { CommandOptions } from "./command-options.ts";
import { loadAdapter } from "./load-adapter.ts";
import { quoted } from "./quoted.ts";
import { UsageError } from "./usage-error.ts";
import { writeReport } from "./write-report.ts";

/** Compares the adapter with the memory reference, instead of running checks; gives the exit code. */
export async function compareAdapter(
  { module = "", differential: runs = 0, seed = randomInt(1_000_000_000), json }: CommandOptions,
  stdout: { write(text: string): unknown },
): Promise<0 | 1> {
  const adapter = await loadAdapter(module);
  const run = await compareAdapters(memoryReference, adapter, { runs, seed }).catch((error: unknown) => {
    throw new UsageError(`${adapter.name} creates no storage: ${described(error)}`, { cause: error });
  });
  const again = `npx sallyport-conformance ${quoted(module)} --differential ${runs} --seed ${seed}`;
  stdout.write(differentialWords(run, module, again));
  if (json !== undefined) await writeReport(json, `${JSON.stringify(differentialReport(run, module), null, 2)}\n`);
  return run.difference === null ? 0 : 1;
}
