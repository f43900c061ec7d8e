import { runWorkers } from "../processes/run-workers.ts";
import { processTimeout } from "../test-database.ts";
import { onEngines } from "./on-engines.ts";

onEngines("throttling by several processes", (database) => {
  /** Milliseconds that the clock of the storage is ahead of the other processes. */
  let offset = 0;

  test(
    "accepts one attempt after a delay and counts every failure",
    async () => {
      const { url, schema } = database();
      const storage = await database().storage({ clockOffset: () => offset });
      const policy = { maxFailures: 3, initialDelay: 60_000, maxDelay: 900_000, resetAfter: 3_600_000 };
      const keys = ["user", "address"].map((key) => ({ key, policy }));
      offset = -policy.initialDelay;
      const failures = Array.from({ length: policy.maxFailures }, (_, index) =>
        storage.repositories.throttle.fail(index % 2 === 0 ? keys : keys.toReversed()),
      );
      expect((await Promise.all(failures)).toSorted((one, other) => one - other)).toEqual([0, 0, policy.initialDelay]);
      offset = 0;
      const inputs = Array.from({ length: 3 }, () => ({ keys, times: 20 }));
      const attempts = (await runWorkers(url, "attempt", inputs, schema)).flat() as {
        wait: number;
        reserved: boolean;
      }[];
      expect(attempts.filter(({ reserved }) => reserved)).toEqual([{ wait: 0, reserved: true }]);
      expect(attempts.filter(({ wait }) => wait > 0)).toHaveLength(59);
    },
    processTimeout,
  );
});
