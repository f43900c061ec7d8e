import type { AdapterUnderTest } from "./adapter-under-test.ts";
import { type Check, missingFor, type Need } from "./check.ts";
import { checks } from "./checks.ts";
import { CallRecorder } from "./contract/call-recorder.ts";
import { notImplementedIn } from "./contract/not-implemented-in.ts";
import { type OpenedDatabase, openUnderTest } from "./open-under-test.ts";
import { withinLimit } from "./within-limit.ts";
import { ConformanceError } from "./assert/index.ts";
import type { Subject } from "./subject.ts";

export interface CheckResult {
  readonly section: string;
  readonly name: string;
  /**
   * `notApplicable`: the adapter lacks what the check needs. `notImplemented`: the check met a `NotImplemented`
   * error.
   */
  readonly outcome: "passed" | "failed" | "notImplemented" | "notApplicable";
  /** The requirement that the adapter lacks; present if the outcome is `notApplicable`. */
  readonly missing?: Need;
  /** The cause of the failure, or the `NotImplemented` error. */
  readonly error?: unknown;
  /** Called port methods, such as `sessions.open` and `storage.migrate`: each once, ordered by its last call. */
  readonly calls: readonly string[];
  /** Milliseconds, including the creation and removal of the database. */
  readonly duration: number;
}

/** Runs one check, given by name or as an object, on a new database. Adapter errors become a failed result. */
export async function runCheck(adapter: AdapterUnderTest, nameOrCheck: string | Check): Promise<CheckResult> {
  const check = typeof nameOrCheck === "string" ? checks.find(({ name }) => name === nameOrCheck) : nameOrCheck;
  if (check === undefined) throw new Error(`There is no check "${String(nameOrCheck)}".`);
  const { section, name } = check;
  const start = performance.now();
  const recorder = new CallRecorder();
  const result = () => ({ section, name, calls: recorder.calls, duration: performance.now() - start });
  try {
    const missing = await withinLimit(adapter, perform(adapter, check, recorder));
    return missing === null ? { ...result(), outcome: "passed" } : { ...result(), outcome: "notApplicable", missing };
  } catch (error) {
    const notImplemented = notImplementedIn(error) ?? recorder.notImplemented;
    return notImplemented === undefined
      ? { ...result(), outcome: "failed", error }
      : { ...result(), outcome: "notImplemented", error: notImplemented };
  }
}

/** Runs a check, unless the adapter lacks something for it. Returns what is missing. */
async function perform(adapter: AdapterUnderTest, check: Check, recorder: CallRecorder): Promise<Need | null> {
  let offset = 0;
  const { migrated, run } = check;
  const opened = await openUnderTest(adapter, { clockOffset: () => offset, migrated });
  const { storage, destroy } = opened.underTest;
  try {
    const kind = opened.ofKernel === null ? "storage" : "kernel";
    const missing = missingFor(check, { kind, capabilities: storage.capabilities });
    if (missing !== null) return missing;
    if (migrated) await storage.migrate();
    const advance = (milliseconds: number) => (offset += milliseconds);
    await run(makeSubject(opened, recorder, { advance, reads: adapter.reads ?? usualReads }));
    return null;
  } finally {
    await destroy();
  }
}

/** Reads of a check that reads beside a writer. */
const usualReads = 20;

/** The subject of a check. Its optional operations reject if the adapter does not provide them. */
function makeSubject(
  { underTest, ofKernel }: OpenedDatabase,
  recorder: CallRecorder,
  settings: Pick<Subject, "advance" | "reads">,
): Subject {
  const { storage, another, reopen = another, loseNext, refuseNext } = underTest;
  const recorded = recorder.storage(storage);
  const opening =
    <Opened>(open: (() => Promise<Opened>) | undefined, record: (opened: Opened) => Opened, missing: string) =>
    async () => {
      if (open === undefined) throw new ConformanceError(missing);
      return record(await open());
    };
  const noConnection = "The adapter declares severalProcesses, but opens no second connection.";
  const noReopen = "The adapter declares durable, but cannot reopen its database.";
  const failing = (fail: ((times: number) => Promise<void>) | undefined, name: string) => async (times: number) => {
    if (fail === undefined)
      throw new ConformanceError(`The storage declares severalProcesses, but the adapter provides no ${name}.`);
    await fail(times);
  };
  const [recordedStorage, recordedKernel] = [recorder.storage.bind(recorder), recorder.kernel.bind(recorder)];
  return {
    storage: recorded,
    r: recorded.repositories,
    another: opening(another, recordedStorage, noConnection),
    reopen: opening(reopen, recordedStorage, noReopen),
    ofKernel:
      ofKernel === null
        ? null
        : {
            kernel: recorder.kernel(ofKernel.kernel),
            another: opening(ofKernel.another, recordedKernel, noConnection),
            reopen: opening(ofKernel.reopen ?? ofKernel.another, recordedKernel, noReopen),
          },
    canOvertake: ofKernel !== null && ofKernel.kernel.capabilities.parallelTransactions,
    loseNext: failing(loseNext, "loseNext"),
    refuseNext: failing(refuseNext, "refuseNext"),
    ...settings,
  };
}
