import type { Storage } from "@sallyport/storage";
import { codeOf, newSession, openPolicy } from "../sample.ts";
import { openInProcesses, times } from "../processes/run-workers.ts";
import { processTimeout } from "../test-database.ts";
import { onEngines } from "./on-engines.ts";

onEngines("sessions of several processes", (database) => {
  let storage: Storage;
  beforeAll(async () => {
    storage = await database().storage();
  });
  beforeEach(async () => {
    for (const userId of ["1", "2"]) await storage.repositories.sessions.end({ userId });
  });
  afterEach(async () => {
    if (database().url.startsWith("mysql")) return;
    // Postgres also has their number in rows.
    const text = "select from test.session_counts having sum(sessions) <> (select count(*) from test.sessions)";
    expect(await database().rows(text)).toEqual([]);
  });

  const twenty = (make: (index: number) => object) => Array.from({ length: 20 }, (_, index) => make(index));

  test(
    "fill the limit of the database exactly",
    async () => {
      const { sessions } = storage.repositories;
      await sessions.open(newSession("before"), openPolicy);
      const outcomes = await openInProcesses(database(), { ...openPolicy, limit: 11 }, (process) =>
        twenty((index) => newSession(`all ${process} ${index}`)),
      );
      expect([times(outcomes, 0), times(outcomes, 315)]).toEqual([10, 50]);
      expect(await sessions.count()).toBe(11);
    },
    processTimeout,
  );

  test(
    "fill the limit of a user exactly",
    async () => {
      const outcomes = await openInProcesses(database(), { ...openPolicy, perUserLimit: 4 }, (process) =>
        twenty((index) => newSession(`user ${process} ${index}`, { userId: index % 2 === 0 ? "1" : "2" })),
      );
      expect([times(outcomes, 0), times(outcomes, 315)]).toEqual([8, 52]);
    },
    processTimeout,
  );

  test(
    "fill the limit of a device exactly, with and without other limits",
    async () => {
      for (const [limits, staying] of [
        [{}, 5],
        [{ limit: 2, perUserLimit: 3 }, 2],
      ] as const) {
        const outcomes = await openInProcesses(database(), { ...openPolicy, ...limits }, (process) =>
          twenty((index) => newSession(`${staying} of a device ${process} ${index}`, { deviceId: "phone" })),
        );
        expect(times(outcomes, 0)).toBe(60);
        expect(await storage.repositories.sessions.count()).toBe(staying);
      }
    },
    processTimeout,
  );

  test("are refused with an existing digest", async () => {
    const { sessions } = storage.repositories;
    await sessions.open(newSession("twice"), openPolicy);
    for (const other of [{}, { userId: "2" }, { userId: "2", deviceId: "phone" }])
      expect(await codeOf(sessions.open(newSession("twice", other), openPolicy))).toBe(799);
    expect(await sessions.count()).toBe(1);
  });
});
