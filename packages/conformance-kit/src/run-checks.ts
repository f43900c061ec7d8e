import type { StorageCapabilities } from "@sallyport/storage";
import type { AdapterUnderTest } from "./adapter-under-test.ts";
import type { Check } from "./check.ts";
import { checks as allChecks } from "./checks.ts";
import { type AdapterKind, type Declared, declaredBy } from "./open-under-test.ts";
import { type CheckResult, runCheck } from "./run-check.ts";
import { withinLimit } from "./within-limit.ts";

export interface RunOptions {
  /** Default: all checks of the kit. */
  readonly checks?: readonly Check[];
  /** Called before the first check. */
  readonly onStart?: (declared: Declared) => void;
  /** Called before each check. */
  readonly onBegin?: (check: Check) => void;
  /** Called with each result on completion, in any order. */
  readonly onResult?: (result: CheckResult) => void;
}

export interface ConformanceRun {
  readonly adapter: string;
  readonly kind: AdapterKind;
  readonly capabilities: StorageCapabilities;
  /** In the order of the checks. */
  readonly results: readonly CheckResult[];
  /** Milliseconds from start to end. */
  readonly duration: number;
  /** Milliseconds of CPU time of this process. */
  readonly cpu: number;
  /** Errors thrown outside the checks, such as unhandled rejections. Only the command collects them. */
  readonly strayErrors: readonly unknown[];
}

/** Number of checks that run concurrently. */
export function concurrencyOf({ concurrency = 1 }: Pick<AdapterUnderTest, "concurrency">): number {
  return Math.max(1, concurrency);
}

/** Runs checks with the adapter's concurrency. Rejects only if the adapter cannot create a storage at all. */
export async function runChecks(
  adapter: AdapterUnderTest,
  { checks = allChecks, onStart, onBegin, onResult }: RunOptions = {},
): Promise<ConformanceRun> {
  const [start, cpu] = [performance.now(), process.cpuUsage()];
  const declared = await withinLimit(adapter, declaredBy(adapter));
  onStart?.(declared);
  const results: CheckResult[] = [];
  const waiting = checks.entries();
  const work = async () => {
    for (const [index, check] of waiting) {
      onBegin?.(check);
      const result = await runCheck(adapter, check);
      results[index] = result;
      onResult?.(result);
    }
  };
  await Promise.all(Array.from({ length: concurrencyOf(adapter) }, work));
  const { user, system } = process.cpuUsage(cpu);
  return {
    adapter: adapter.name,
    ...declared,
    results,
    duration: performance.now() - start,
    cpu: (user + system) / 1_000,
    strayErrors: [],
  };
}
