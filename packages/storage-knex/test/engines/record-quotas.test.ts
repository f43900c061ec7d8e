import type { RecordQuota, Repositories, Storage } from "@sallyport/storage";
import { runWorkers, times } from "../processes/run-workers.ts";
import { processTimeout } from "../test-database.ts";
import { onEngines } from "./on-engines.ts";

// Far below the limit and at the limit.
onEngines("record quotas of several processes", (database) => {
  let storage: Storage;
  beforeAll(async () => {
    storage = await database().storage();
  });

  let made = 0;
  const record = (owner: string) => ({ id: `record ${(made += 1)}`, owner });
  const remove = async (owners: readonly string[]) => {
    let count = 0;
    for (const owner of owners) count += (await storage.repositories.records.remove("state", { owner })).length;
    return count;
  };
  const put = async (quota: RecordQuota, records: (process: number) => readonly object[]) => {
    const { url, schema } = database();
    return (
      await runWorkers(
        url,
        "putRecords",
        [0, 1, 2].map((process) => ({ quota, records: records(process) })),
        schema,
      )
    ).flat();
  };
  test(
    "fill the quota of an owner exactly across concurrent puts",
    async () => {
      const quota = (await database().mostConnections()) + 20;
      const outcomes = await put({ perOwner: quota, total: 0 }, () =>
        Array.from({ length: Math.ceil(quota / 2) }, () => record("one")),
      );
      expect([times(outcomes, "stored"), times(outcomes, "ownerFull")]).toEqual([quota, outcomes.length - quota]);
      expect(await remove(["one"])).toBe(quota);
    },
    processTimeout,
  );

  test(
    "fill the quota of a kind exactly across concurrent puts",
    async () => {
      const quota = (await database().mostConnections()) + 20;
      const owners = Array.from({ length: 7 }, (_, index) => `owner ${index}`);
      const outcomes = await put({ perOwner: quota, total: quota }, () =>
        Array.from({ length: Math.ceil(quota / 2) }, (_, index) => record(owners[index % 7] ?? "")),
      );
      expect([times(outcomes, "stored"), times(outcomes, "full")]).toEqual([quota, outcomes.length - quota]);
      expect(await remove(owners)).toBe(quota);
    },
    processTimeout,
  );

  test("do not wait below the quota", async () => {
    const quota = (await database().mostConnections()) + 20;
    const putOne = ({ records }: Repositories) => {
      const { id, owner } = record("one");
      return records.putWithin("state", id, 1, { owner, lifetime: 600_000, quota: { perOwner: quota, total: quota } });
    };
    await storage.transaction(async (r) => {
      expect(await putOne(r)).toBe("stored");
      expect(await putOne(storage.repositories)).toBe("stored");
    });
    expect(await remove(["one"])).toBe(2);
  });
});
