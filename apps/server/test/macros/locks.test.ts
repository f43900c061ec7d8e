import { seesAll, type Storage } from "@sallyport/storage";
import { callIn } from "../client.ts";
import { onEngines } from "../engines.ts";
import { openSession } from "../open-session.ts";
import { macroEnvironment } from "../macro-fixture.ts";

/** The macro that holds a lock on objects. */
onEngines(
  "concurrent macros",
  (server) => {
    test("are answered in time, and leave nothing behind", async () => {
      const { storage } = server().databases.get("") as { readonly storage: Storage };
      const session = await openSession(server(), "session", "demo");
      const execute = (name: string, input: object) =>
        callIn(server(), session, `/v1/execute/${name}`, { method: "POST", body: input });
      const customer = async (): Promise<string> => {
        const body = { Name: "Ada", CreditLimit: 1 };
        return (await callIn(server(), session, "/v1/object/Customer", { method: "POST", body })).body.data[
          "~ObjectID"
        ];
      };
      const id = await customer();
      // Creating an engine is slow, which the measured executions below must not include.
      const others = await Promise.all(Array.from({ length: 8 }, customer));
      await Promise.all(others.map((other) => execute("LockForUpdate", { id: other })));
      let release = () => {};
      let markLocked = () => {};
      const locked = new Promise<void>((resolve) => {
        markLocked = resolve;
      });
      const locking = storage.transaction(async ({ objects }) => {
        await objects.lock([id]);
        markLocked();
        await new Promise<void>((resolve) => {
          release = resolve;
        });
      });
      await locked;
      // They fail while the lock is held.
      const answers = await Promise.all([execute("LockForUpdate", { id }), execute("LockForUpdate", { id })]).finally(
        release,
      );
      expect(answers.map(({ status, code }) => [status, code])).toEqual([
        [500, "710"],
        [500, "710"],
      ]);
      await locking;
      expect(await execute("Raise", { id })).toMatchObject({ code: "0", body: { data: 2 } });
      const [after] = await storage.repositories.objects.get([id], seesAll);
      expect(after).toMatchObject({ version: 2, attributes: { CreditLimit: 2 } });
    });
  },
  { environment: macroEnvironment, on: ["Postgres"] },
);
