import { randomBytes } from "node:crypto";
import type { RunningServer } from "../../src/index.ts";
import { call, tryLogIn } from "../client.ts";
import { startDemoOn, testedEngines } from "../engines.ts";

/** A cursor of one server continues the list on every other one, with and without a master key. */
describe.each(testedEngines)("cursors on %s", (engine) => {
  test.each([
    ["without a master key", {}],
    ["with a master key", { MASTER_KEY: randomBytes(32).toString("base64") }],
  ])(
    "a cursor continues the list on every server, %s",
    async (_title, environment) => {
      const { servers, close } = await startDemoOn(engine, { environment, content: {}, count: 2 });
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
});
