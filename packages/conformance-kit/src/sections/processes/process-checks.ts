import type { Repositories, Storage } from "@sallyport/storage";
import { type Check, checksOf } from "../../check.ts";
import type { Subject } from "../../subject.ts";

/** A subject with a second process on its database. */
interface Processes extends Subject {
  readonly otherStorage: Storage;
  /** The repositories of the second process. */
  readonly other: Repositories;
  /** The repositories of the first process for an even index, of the second for an odd one. */
  readonly processAt: (index: number) => Repositories;
}

/** Builds checks of several processes on one database. */
export function processChecks(
  migrated: boolean,
  runs: { readonly [name: string]: (subject: Processes) => Promise<void> },
  needsOfKernel: Check["needsOfKernel"] = null,
): readonly Check[] {
  const checks = Object.entries(runs).map(([name, run]): [string, Check["run"]] => [
    name,
    async (subject) => {
      const otherStorage = await subject.another();
      const other = otherStorage.repositories;
      await run({ ...subject, otherStorage, other, processAt: (index) => (index % 2 === 0 ? subject.r : other) });
    },
  ]);
  return checksOf("several processes", Object.fromEntries(checks), {
    needs: "severalProcesses",
    needsOfKernel,
    migrated,
  });
}
