import { type AdapterUnderTest, runCheck } from "@sallyport/conformance-kit";
import type { Storage } from "@sallyport/core";
import { MemoryStorage } from "@sallyport/storage-memory";
import { brokenAdmissions } from "./broken/broken-admissions.ts";
import { brokenAudit } from "./broken/broken-audit.ts";
import { brokenChannels } from "./broken/broken-channels.ts";
import { brokenCipherBlocks } from "./broken/broken-cipher-blocks.ts";
import { brokenContents } from "./broken/broken-contents.ts";
import { brokenKeys } from "./broken/broken-keys.ts";
import { brokenNames } from "./broken/broken-names.ts";
import { brokenObjects } from "./broken/broken-objects.ts";
import { brokenRecords } from "./broken/broken-records.ts";
import { brokenSessions } from "./broken/broken-sessions.ts";
import { brokenStorages } from "./broken/broken-storages.ts";

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
  ["sessions", brokenSessions],
  ["admission", brokenAdmissions],
  ["secure channels", brokenChannels],
  ["cipher blocks of log-ins", brokenCipherBlocks],
  ["key pairs", brokenKeys],
  ["objects", brokenObjects],
  ["app keys, applications and accounts", brokenNames],
  ["model, throttle and audit", brokenRecords],
  ["tallies and retention", brokenAudit],
  ["contents and texts", brokenContents],
])("an adapter with a fault in %s", (_part, adapters) => {
  const cases = adapters.flatMap(({ fault, caughtBy: names, create }) => names.map((caughtBy) => ({ fault, caughtBy, create })));

  test.each(cases)("that $fault is caught by: $caughtBy", async ({ fault, caughtBy, create }) => {
    expect(await runCheck(sound, caughtBy)).toMatchObject({ outcome: "passed" });
    const { outcome, error } = await runCheck(adapter(fault, create), caughtBy);
    expect(outcome).toBe("failed");
    // Anything else would be a fault of the fault.
    expect(["ConformanceError", "ServiceError"]).toContain((error as Error).name);
  });
});
