import type { Storage } from "@sallyport/core";
import type { StorageUnderTest } from "./adapter-under-test.ts";
import { ConformanceError } from "./assert/index.ts";
import type { CallRecorder } from "./contract/call-recorder.ts";
import type { Subject } from "./subject.ts";

/** What a check gets to see of a storage. What the adapter has to offer beside it, but does not, fails when it is asked for. */
export function makeSubject(
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
