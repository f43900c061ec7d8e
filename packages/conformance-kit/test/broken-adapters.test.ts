import { type AdapterUnderTest, checks, runCheck } from "@sallyport/conformance-kit";
import type { Storage } from "@sallyport/core";
import { MemoryStorage } from "@sallyport/storage-memory";
import { brokenAdmissions } from "./broken/broken-admissions.ts";
import { brokenArchives } from "./broken/broken-archives.ts";
import { brokenAudit } from "./broken/broken-audit.ts";
import { brokenCapabilities } from "./broken/broken-capabilities.ts";
import { brokenChanges } from "./broken/broken-changes.ts";
import { brokenChannels } from "./broken/broken-channels.ts";
import { brokenCipherBlocks } from "./broken/broken-cipher-blocks.ts";
import { brokenContents } from "./broken/broken-contents.ts";
import { brokenDepartures } from "./broken/broken-departures.ts";
import { brokenKeys } from "./broken/broken-keys.ts";
import { brokenLocks } from "./broken/broken-locks.ts";
import { brokenMembers } from "./broken/broken-members.ts";
import { brokenNames } from "./broken/broken-names.ts";
import { brokenObjects } from "./broken/broken-objects.ts";
import { brokenQueries } from "./broken/broken-queries.ts";
import { brokenRecords } from "./broken/broken-records.ts";
import { brokenSessions } from "./broken/broken-sessions.ts";
import { brokenSizes } from "./broken/broken-sizes.ts";
import { brokenStorages } from "./broken/broken-storages.ts";
import { brokenWriting } from "./broken/broken-writing.ts";
import { sideBySide, soundly } from "./broken/side-by-side.ts";

const needsOf = (name: string) => checks.find((check) => check.name === name)?.needs;

type Create = (options: { readonly clockOffset: () => number }) => Storage;

function adapter(name: string, create: Create): AdapterUnderTest {
  return {
    name,
    create: async (options) => {
      const storage = create(options);
      return { storage, destroy: () => storage.close() };
    },
  };
}

const sound = adapter("sound", (options) => new MemoryStorage(options));

describe.each([
  ["the storage itself", brokenStorages],
  ["capabilities", brokenCapabilities],
  ["sessions", brokenSessions],
  ["admission", brokenAdmissions],
  ["secure channels", brokenChannels],
  ["cipher blocks of log-ins", brokenCipherBlocks],
  ["key pairs", brokenKeys],
  ["objects", brokenObjects],
  ["queries", brokenQueries],
  ["writing objects", brokenWriting],
  ["the size of objects", brokenSizes],
  ["members of collections", brokenMembers],
  ["locks", brokenLocks],
  ["changes", brokenChanges],
  ["departures", brokenDepartures],
  ["app keys, applications and accounts", brokenNames],
  ["model, throttle and audit", brokenRecords],
  ["tallies and retention", brokenAudit],
  ["the archive", brokenArchives],
  ["contents and texts", brokenContents],
])("an adapter with a fault in %s", (_part, adapters) => {
  const cases = adapters.flatMap(({ fault, caughtBy: names, create }) => names.map((caughtBy) => ({ fault, caughtBy, create })));

  test.each(cases)("that $fault is caught by: $caughtBy", async ({ fault, caughtBy, create }) => {
    const { outcome: ofSound } = await runCheck(sound, caughtBy);
    expect(ofSound).toBe(needsOf(caughtBy) === null ? "passed" : "notApplicable");
    const { outcome, error } = await runCheck(adapter(fault, create), caughtBy);
    expect(outcome).toBe("failed");
    // Anything else would be a fault of the fault.
    expect(["ConformanceError", "ServiceError"]).toContain((error as Error).name);
  });
});

test.each(checks.filter(({ section, needs }) => section === "changes" && needs === null).map(({ name }) => name))(
  "a storage whose transactions overlap passes when it stamps soundly: %s",
  async (name) => {
    expect(await runCheck(adapter("side by side", (options) => sideBySide(options, soundly)), name)).toMatchObject({ outcome: "passed" });
  },
);
