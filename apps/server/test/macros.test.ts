import { seesAll, type Storage } from "@sallyport/core";
import type { RunningServer } from "../src/index.ts";
import { callIn } from "./client.ts";
import { onEngines, withoutLockout } from "./engines.ts";
import { hookEnvironment, hookSuite } from "./hook-suite.ts";
import { macroEnvironment, macroSuite } from "./macro-suite.ts";
import { openSession } from "./open-session.ts";

onEngines("macros", macroSuite, { environment: { ...withoutLockout, ...macroEnvironment, DEBUG_MESSAGES: "true" } });

onEngines("concurrent macros", waitingSuite, { environment: macroEnvironment, on: ["Postgres"] });

/** The macro that holds a lock on objects. */
function waitingSuite(server: () => RunningServer): void {
  test("are answered in time, and leave nothing behind", async () => {
    const { storage } = server().databases.get("") as { readonly storage: Storage };
    const session = await openSession(server(), "session", "demo");
    const execute = (name: string, input: object) =>
      callIn(server(), session, `/v1/execute/${name}`, { method: "POST", body: input });
    const customer = async (): Promise<string> => {
      const body = { Name: "Ada", CreditLimit: 1 };
      return (await callIn(server(), session, "/v1/object/Customer", { method: "POST", body })).body.data["~ObjectID"];
    };
    const id = await customer();
    // Creating an engine is slow, which the measured executions below must not include.
    const others = await Promise.all(Array.from({ length: 8 }, customer));
    await Promise.all(others.map((other) => execute("Held", { id: other })));
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
    const began = performance.now();
    const answers = await Promise.all([execute("Held", { id }), execute("Held", { id })]).finally(release);
    expect(performance.now() - began).toBeLessThan(900);
    expect(answers.map(({ status, code }) => [status, code])).toEqual([
      [500, "710"],
      [500, "710"],
    ]);
    await locking;
    expect(await execute("Raise", { id })).toMatchObject({ code: "0", body: { data: 2 } });
    const [after] = await storage.repositories.objects.get([id], seesAll);
    expect(after).toMatchObject({ version: 2, attributes: { CreditLimit: 2 } });
  });
}

onEngines("hooks", hookSuite, { environment: hookEnvironment });
