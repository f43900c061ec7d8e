import { until } from "@sallyport/test-kit/jest/until";
import { createLogger } from "../../src/monitoring/create-logger.ts";
import { call } from "../client.ts";
import { type LockedTables, onEngines, engineServers } from "../engines.ts";
import type { HeavyRequest } from "./heavy-requests.ts";
import { inFlight, logIn, send, statusOf } from "./turn-fixture.ts";

const lines: Record<string, unknown>[] = [];
const write = (line: string) => void lines.push(JSON.parse(line));

const { logger } = createLogger({ log: { level: "info", format: "json" }, demo: false }, { write });

// The clients disconnect while another connection keeps the tables.
onEngines(
  "departures",
  (server, demo) => {
    const count = 20;
    const lock = async (table: string) => (await demo.lockTables()?.([table])) as LockedTables;

    async function whenInFlight(wanted: number): Promise<void> {
      await until(async () => (await inFlight(server())) === wanted);
    }

    async function whenWaiting(locked: LockedTables, wanted: number): Promise<void> {
      await until(async () => (await locked.waiting()) === wanted);
    }

    test.each<[string, string, HeavyRequest]>([
      ["lists", "object_counts", { method: "GET", path: "/v1/objects/Customer?perPage=1" }],
      ["pulls", "tombstones", { method: "POST", path: "/v1/sync/sales", body: { syncVersion: "0", limit: 1 } }],
      ["pages of the recycle bin", "tombstones", { method: "GET", path: "/v1/recycler" }],
    ])("%s leave the queue, and running ones are cancelled", async (_title, table, heavy) => {
      const sessionId = await logIn(server(), "demo");
      // The first pull of all stores a record.
      expect(await statusOf(send(server(), heavy, sessionId))).toBe(200);
      const locked = await lock(table);
      const sent = Array.from({ length: count }, () => send(server(), heavy, sessionId));
      await whenInFlight(count);
      // A person has half of the ten connections.
      await whenWaiting(locked, 5);
      lines.length = 0;
      for (const each of sent) each.destroy();
      await whenInFlight(0);
      await locked.unlock();
      const details = lines.filter(({ code }) => code === 699).map(({ level, detail }) => `${level}: ${detail}`);
      expect(details.length).toBe(count);
      const running = details.filter((each) => each === "info: The client has disconnected during a read.");
      expect(running.length).toBe(5);
      expect(await statusOf(send(server(), heavy, sessionId))).toBe(200);
    });

    test("a write without its client comes to its end, and is in progress until then", async () => {
      const sessionId = await logIn(server(), "demo");
      const City = crypto.randomUUID();
      const locked = await lock("object_counts");
      const creation = send(
        server(),
        { method: "POST", path: "/v1/object/Customer", body: { Name: "Ada", City } },
        sessionId,
      );
      const list = send(server(), { method: "GET", path: "/v1/objects/Customer?perPage=1" }, sessionId);
      await whenWaiting(locked, 2);
      creation.destroy();
      list.destroy();
      await whenInFlight(1);
      await locked.unlock();
      await whenInFlight(0);
      const query = encodeURIComponent(JSON.stringify({ where: { City } }));
      const { body } = await call(server(), `/v1/objects/Customer?query=${query}`, { sessionId });
      expect(body.data["~Count"]).toBe(1);
    });
  },
  { logger, on: engineServers },
);
