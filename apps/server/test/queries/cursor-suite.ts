import { randomBytes } from "node:crypto";
import type { RunningServer } from "../../src/index.ts";
import { call, tryLogIn } from "../client.ts";
import type { DemoServers } from "../engines.ts";

/** Starts the servers of one test, which share a database with the demo's data. Called once for each environment. */
type StartServers = (environment: Readonly<Record<string, string>>) => Promise<DemoServers>;

/** A cursor of one server continues the list on every other one, with and without a master key. */
export function cursorSuite(start: StartServers): void {
  test.each([
    ["without a master key", {}],
    ["with a master key", { MASTER_KEY: randomBytes(32).toString("base64") }],
  ])(
    "a cursor continues the list on every server, %s",
    async (_title, environment) => {
      const { servers, close } = await start(environment);
      const [first] = servers as [RunningServer];
      const { sessionId } = (await tryLogIn(first, "reader")).body.data;
      const query = encodeURIComponent(JSON.stringify({ where: { Paid: false }, sort: ["Customer.Name", "-Due"] }));
      const list = (server: RunningServer, more: string) =>
        call(server, `/v1/objects/Invoice?query=${query}&${more}`, { sessionId });
      const elementsOf = async (server: RunningServer, more: string) =>
        (await list(server, more)).body.data["~Elements"];
      const expected = await elementsOf(first, "perPage=10");
      // All servers are called at once before any of them has made a key.
      const cursors = await Promise.all(
        servers.map(async (server) => (await list(server, "perPage=5")).body.data["~Cursor"]),
      );
      for (const cursor of cursors) {
        for (const server of servers)
          expect(await elementsOf(server, `perPage=5&cursor=${cursor}`)).toEqual(expected.slice(5));
      }
      await close();
    },
    60_000,
  );
}
