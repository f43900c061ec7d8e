import type { AdapterUnderTest } from "./adapter-under-test.ts";
import type { Check } from "./check.ts";
import { checks } from "./checks.ts";
import { CallRecorder } from "./contract/call-recorder.ts";
import { unwrittenIn } from "./contract/unwritten-in.ts";
import { makeSubject } from "./make-subject.ts";
import { withinLimit } from "./within-limit.ts";

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
