import type { Storage } from "@sallyport/storage";
import type { AdapterUnderTest, StorageUnderTest } from "./adapter-under-test.ts";
import type { Check } from "./check.ts";
import { checks } from "./checks.ts";
import { CallRecorder } from "./contract/call-recorder.ts";
import { notImplementedIn } from "./contract/not-implemented-in.ts";
import { withinLimit } from "./within-limit.ts";
import { ConformanceError } from "./assert/index.ts";
import type { Subject } from "./subject.ts";

export interface CheckResult {
  readonly section: string;
  readonly name: string;
  /**
   * `notApplicable`: the storage lacks the capability that the check needs. `notImplemented`: the check met a `NotImplemented`
   * error.
   */
  readonly outcome: "passed" | "failed" | "notImplemented" | "notApplicable";
  /** The cause of the failure, or the `NotImplemented` error. */
  readonly error?: unknown;
  /** Called port methods, such as `sessions.open` and `storage.migrate`: each once, ordered by its last call. */
  readonly calls: readonly string[];
  /** Milliseconds, including the creation and removal of the database. */
  readonly duration: number;
}

/** Runs one check, given by name or as an object, on a new database. Adapter errors become a failed result. */
export async function runCheck(adapter: AdapterUnderTest, wanted: string | Check): Promise<CheckResult> {
  const check = typeof wanted === "string" ? checks.find(({ name }) => name === wanted) : wanted;
  if (check === undefined) throw new Error(`There is no check "${String(wanted)}".`);
  const { section, name } = check;
  const start = performance.now();
  const recorder = new CallRecorder();
  const result = () => ({ section, name, calls: recorder.calls, duration: performance.now() - start });
  try {
    const outcome = await withinLimit(adapter, perform(adapter, check, recorder));
    return { ...result(), outcome };
  } catch (error) {
    const notImplemented = notImplementedIn(error) ?? recorder.notImplemented;
    return notImplemented === undefined
      ? { ...result(), outcome: "failed", error }
      : { ...result(), outcome: "notImplemented", error: notImplemented };
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
    const advance = (milliseconds: number) => (offset += milliseconds);
    await run(makeSubject(underTest, recorder, { advance, reads: adapter.reads ?? usualReads }));
    return "passed";
  } finally {
    await destroy();
  }
}

/** Reads of a check that reads beside a writer. */
const usualReads = 20;

/** The subject of a check. Its optional operations reject if the adapter does not provide them. */
function makeSubject(
  { storage, another, reopen = another, loseNext, refuseNext }: StorageUnderTest,
  recorder: CallRecorder,
  settings: Pick<Subject, "advance" | "reads">,
): Subject {
  const recorded = recorder.storage(storage);
  const opening = (open: (() => Promise<Storage>) | undefined, missing: string) => async () => {
    if (open === undefined) throw new ConformanceError(missing);
    return recorder.storage(await open());
  };
  const failing = (fail: ((times: number) => Promise<void>) | undefined, name: string) => async (times: number) => {
    if (fail === undefined)
      throw new ConformanceError(`The storage declares severalProcesses, but the adapter provides no ${name}.`);
    await fail(times);
  };
  return {
    storage: recorded,
    r: recorded.repositories,
    another: opening(another, "The storage declares severalProcesses, but the adapter opens no second connection."),
    reopen: opening(reopen, "The storage declares durable, but the adapter cannot reopen it."),
    loseNext: failing(loseNext, "loseNext"),
    refuseNext: failing(refuseNext, "refuseNext"),
    ...settings,
  };
}
