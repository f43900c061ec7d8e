import { isFullRun } from "@sallyport/test-kit/scope";
import { until } from "@sallyport/test-kit/jest/until";
import { onEngines, engineServers } from "../engines.ts";
import { createCustomers, type HeavyRequest, heavyRequests, logInRequest } from "./heavy-requests.ts";
import { inFlight, logIn, send, smallList, statusOf, turnEnvironment } from "./turn-fixture.ts";

type Kind = readonly [title: string, heavy: (index: number) => HeavyRequest, sessions: number];

const kinds: readonly Kind[] = [
  ...Object.entries(heavyRequests).map(([kind, heavy]): Kind => [`${kind} of another person`, heavy, 1]),
  ["lists of another person with ten sessions", heavyRequests.lists, 10],
  ["log-ins of another person", () => logInRequest, 0],
];

// Persons take turns above the storage, so only the full run also tries the engine with one connection.
onEngines(
  "turns",
  (server, demo) => {
    const count = 16;
    let other: string;
    let sessions: readonly string[];
    beforeAll(async () => {
      other = await logIn(server(), "admin");
      sessions = await Promise.all(Array.from({ length: 10 }, () => logIn(server(), "demo")));
      await createCustomers(server(), sessions[0] as string);
    }, 120_000);

    test.each(kinds)("a small list comes before most %s", async (_title, heavy, of) => {
      // None of the heavy requests can end before. The embedded engine makes one after the other.
      const locked = await demo.lockTables()?.(["object_counts", "tombstones", "audit"]);
      let answered = 0;
      const statuses = Array.from({ length: count }, async (_, index) => {
        const status = await statusOf(send(server(), heavy(index), of === 0 ? undefined : sessions[index % of]));
        answered += 1;
        return status;
      });
      await until(async () => (await inFlight(server())) + answered >= count);
      const before = answered;
      expect(await statusOf(send(server(), smallList, other))).toBe(200);
      expect(answered - before).toBeLessThan(locked === undefined ? count / 2 : 1);
      await locked?.unlock();
      // On a busy machine, a heavy request can wait for too long: 607.
      for (const status of await Promise.all(statuses)) expect([200, 503]).toContain(status);
    });

    test("lists without their clients leave the queue, and the next one is answered", async () => {
      const [session] = sessions;
      let closed = 0;
      const sent = Array.from({ length: 4 * count }, () =>
        send(server(), heavyRequests.lists(), session).on("close", () => void (closed += 1)),
      );
      await until(async () => (await inFlight(server())) + closed >= sent.length);
      for (const each of sent) each.destroy();
      expect(await statusOf(send(server(), heavyRequests.lists(), session))).toBe(200);
      await until(async () => (await inFlight(server())) === 0);
    });
  },
  { environment: turnEnvironment, on: isFullRun ? [...engineServers, "embedded"] : engineServers },
);
