import type { AdapterUnderTest } from "./adapter-under-test.ts";
import { ConformanceError } from "./assert/index.ts";
import type { Check } from "./check.ts";
import { checks } from "./checks.ts";
import { Subject } from "./subject.ts";

/** How long a check may take, in milliseconds; one that takes longer hangs. */
export const timeLimit = 30_000;

export interface CheckResult {
  readonly section: string;
  readonly name: string;
  /** `notApplicable`: the storage declares that it lacks the capability that the check needs. */
  readonly outcome: "passed" | "failed" | "notApplicable";
  /** Why it failed. */
  readonly error?: unknown;
  /** Milliseconds, with the making and removing of the database. */
  readonly duration: number;
}

/** Runs one check, named by its name or given itself, on a new database of the adapter. Never throws for what the adapter does. */
export async function runCheck(adapter: AdapterUnderTest, wanted: string | Check): Promise<CheckResult> {
  const check = typeof wanted === "string" ? checks.find(({ name }) => name === wanted) : wanted;
  if (check === undefined) throw new Error(`There is no check "${String(wanted)}".`);
  const { section, name } = check;
  const start = performance.now();
  try {
    const outcome = await withinLimit(perform(adapter, check));
    return { section, name, outcome, duration: performance.now() - start };
  } catch (error) {
    return { section, name, outcome: "failed", error, duration: performance.now() - start };
  }
}

async function perform(adapter: AdapterUnderTest, { needs, migrated, run }: Check): Promise<"passed" | "notApplicable"> {
  let offset = 0;
  const { storage, another, loseNext, destroy } = await adapter.create({ clockOffset: () => offset, migrated });
  try {
    if (needs !== null && !storage.capabilities[needs]) return "notApplicable";
    const second = async () => {
      if (another === undefined) throw new ConformanceError("The storage declares severalProcesses, but there is no second connection.");
      return another();
    };
    const lose = async (times: number) => {
      if (loseNext === undefined) throw new ConformanceError("The storage declares severalProcesses, but nothing can be made to lose.");
      return loseNext(times);
    };
    if (migrated) await storage.migrate();
    await run(new Subject(storage, second, lose, (milliseconds) => (offset += milliseconds)));
    return "passed";
  } finally {
    await destroy();
  }
}

async function withinLimit<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new ConformanceError(`It did not come to an end within ${timeLimit / 1000} s.`)), timeLimit);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
