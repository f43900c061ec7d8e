import type { Storage } from "@sallyport/core";
import type { AdapterUnderTest, StorageUnderTest } from "./adapter-under-test.ts";
import type { Check } from "./check.ts";
import { checks } from "./checks.ts";
import { CallRecorder } from "./contract/call-recorder.ts";
import { unwrittenIn } from "./contract/unwritten-in.ts";
import { withinLimit } from "./within-limit.ts";
import { ConformanceError } from "./assert/index.ts";
import type { Subject } from "./subject.ts";

export interface CheckResult {
  readonly section: string;
  readonly name: string;
  /**
   * `notApplicable`: the storage declares that it lacks the capability that the check needs; `toWrite`: the check came to
   * something that throws an error called `NotWritten`.
   */
  readonly outcome: "passed" | "failed" | "toWrite" | "notApplicable";
  /** Why it failed, or what is to be written. */
  readonly error?: unknown;
  /** Calls of the ports, by names such as `sessions.open` and `storage.migrate`: each once, the last one last. */
  readonly calls: readonly string[];
  /** Milliseconds, with the making and removing of the database. */
  readonly duration: number;
}

/** Runs one check, named by its name or given itself, on a new database of the adapter. Never throws for what the adapter does. */
export async function runCheck(adapter: AdapterUnderTest, wanted: string | Check): Promise<CheckResult> {
  const check = typeof wanted === "string" ? checks.find(({ name }) => name === wanted) : wanted;
  if (check === undefined) throw new Error(`There is no check "${String(wanted)}".`);
  const { section, name } = check;
  const start = performance.now();
  const recorder = new CallRecorder();
  const told = () => ({ section, name, calls: recorder.calls, duration: performance.now() - start });
  try {
    const outcome = await withinLimit(adapter, perform(adapter, check, recorder));
    return { ...told(), outcome };
  } catch (error) {
    const unwritten = unwrittenIn(error) ?? recorder.unwritten;
    return unwritten === undefined
      ? { ...told(), outcome: "failed", error }
      : { ...told(), outcome: "toWrite", error: unwritten };
  }
}

async function perform(
  adapter: AdapterUnderTest,
  { needs, migrated, run }: Check,
  recorder: CallRecorder,
): Promise<"passed" | "notApplicable"> {
  let offset = 0;
  const underTest = await adapter.create({ clockOffset: () => offset, migrated });
  const { storage, destroy } = underTest;
  try {
    if (needs !== null && !storage.capabilities[needs]) return "notApplicable";
    if (migrated) await storage.migrate();
    await run(makeSubject(underTest, recorder, (milliseconds) => (offset += milliseconds)));
    return "passed";
  } finally {
    await destroy();
  }
}

/** What a check gets to see of a storage. What the adapter has to offer beside it, but does not, fails when it is asked for. */
function makeSubject(
  { storage, another, reopen = another, loseNext }: StorageUnderTest,
  recorder: CallRecorder,
  advance: Subject["advance"],
): Subject {
  const noted = recorder.storage(storage);
  const opening = (open: (() => Promise<Storage>) | undefined, missing: string) => async () => {
    if (open === undefined) throw new ConformanceError(missing);
    return recorder.storage(await open());
  };
  return {
    storage: noted,
    r: noted.repositories,
    another: opening(another, "The storage declares severalProcesses, but there is no second connection."),
    reopen: opening(reopen, "The storage declares durable, but it cannot be opened again."),
    loseNext: async (times) => {
      if (loseNext === undefined)
        throw new ConformanceError("The storage declares severalProcesses, but nothing can be made to lose.");
      await loseNext(times);
    },
    advance,
  };
}
