import { randomUUID } from "node:crypto";
import { faults } from "@sallyport/testing/faults";
import { faultsAt } from "./fault-table.ts";
import { define } from "./macro-operations.ts";
import { named } from "./object-operations.ts";
import { onFaultyServers } from "./on-faulty-servers.ts";

/** Milliseconds for some hundreds of requests on a busy machine. */
const timeout = 300_000;

const creation = (Name: string) => ({ method: "POST", path: "/v1/object/Customer", data: { Name } });
const execution = (name: string) => ({ method: "POST", path: "/v1/execute/CreateOne", data: name });

/**
 * For every storage fault: an item of a multi request that succeeds is done, and one that fails is complete or absent.
 */
onFaultyServers("items at a failing storage", (fixture) => {
  test(
    "items of a multi request report their own outcome",
    async () => {
      await define(fixture());
      const { script, storage, send } = fixture();
      const attempt = async () => {
        const names = [randomUUID(), randomUUID(), randomUUID()] as const;
        const { code, data } = await send({
          method: "POST",
          path: "/v1/multi",
          body: [creation(names[0]), execution(names[1]), creation(names[2])],
        });
        const succeeded = names.map((_name, index): boolean => code === 0 && data[index].httpStatus === 200);
        return { code, succeeded, kept: await Promise.all(names.map((name) => named(storage, name))) };
      };
      await attempt();
      const { length: calls } = await script.record(attempt);
      const wrong: unknown[] = [];
      let injected = 0;
      for (let nth = 1; nth <= calls; nth += 1) {
        for (const row of faultsAt(nth)) {
          const fault = row.fault();
          const scripted = script.add({ call: () => true, nth, fault });
          const { code, succeeded, kept } = await attempt();
          script.clear();
          injected += scripted.injections > 0 ? 1 : 0;
          const isLost = fault === faults.lostDuring || fault === faults.lostAfter;
          const isRight = succeeded.every((isDone, index) =>
            isDone ? kept[index] === 1 : kept[index] === 0 || (isLost && kept[index] === 1),
          );
          if (!isRight) wrong.push({ nth, fault: row.title, code, succeeded, kept });
        }
      }
      expect(wrong).toEqual([]);
      expect(injected).toBeGreaterThan(calls * 3);
    },
    timeout,
  );
});
