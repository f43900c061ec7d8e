import { delayAfter } from "@sallyport/core";
import { sharedThrottleSuite } from "./processes-suite.ts";
import { openTestDatabase, startTimeout, type TestDatabase } from "./test-database.ts";
import type { KnexStorage } from "../src/index.ts";

describe("the throttle in SQL", () => {
  let database: TestDatabase;
  let storage: KnexStorage;
  let offset = 0;
  const policy = { freeFailures: 3, firstDelay: 60_000, longestDelay: 900_000, forgetAfter: 3_600_000 };

  beforeAll(async () => {
    database = await openTestDatabase();
    storage = database.storage({ clockOffset: () => offset });
    await storage.migrate();
  }, startTimeout);
  afterAll(() => database.drop());

  test("knows the delays of the domain", async () => {
    const { throttle } = storage.repositories;
    for (const odd of [
      policy,
      { ...policy, freeFailures: 1, firstDelay: 1, longestDelay: 2 ** 40 },
      { ...policy, firstDelay: 0 },
    ]) {
      const keys = [{ key: `delays ${JSON.stringify(odd)}`, policy: odd }];
      for (let failures = 1; failures <= 40; failures += 1)
        expect(await throttle.fail(keys)).toBe(delayAfter(failures, odd));
    }
  });

  sharedThrottleSuite(() => ({
    url: database.url,
    schema: "test",
    storage,
    setClock: (ahead) => void (offset = ahead),
  }));

  test("counts every one of many failures at once, on keys given in any order", async () => {
    const keys = ["x", "y", "z"].map((key) => ({ key, policy: { ...policy, freeFailures: 1_000 } }));
    const { throttle } = storage.repositories;
    await Promise.all(
      Array.from({ length: 60 }, (_, index) => throttle.fail(index % 2 === 0 ? keys : keys.toReversed())),
    );
    const { rows } = await database.admin.query(
      "select distinct failures from test.throttle where key in ('x', 'y', 'z')",
    );
    expect(rows).toEqual([{ failures: 60 }]);
  });

  test("clears away what is forgotten", async () => {
    const { throttle } = storage.repositories;
    for (let index = 0; index < 30; index += 1)
      await throttle.fail([{ key: `passer-by ${index}`, policy: { ...policy, forgetAfter: 1_000 } }]);
    offset = 2_000;
    for (let index = 0; index < 3; index += 1) await throttle.fail([{ key: "last", policy }]);
    const { rows } = await database.admin.query(
      "select count(*)::int as left from test.throttle where key like 'passer-by %'",
    );
    expect(rows).toEqual([{ left: 0 }]);
    offset = 0;
  });
});
