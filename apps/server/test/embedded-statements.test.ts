import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEmbeddedEngine } from "@sallyport/storage-pglite";
import type { RunningServer } from "../src/index.ts";
import { call } from "./client.ts";
import { logIn } from "./cases/run-cases.ts";
import { startConfiguredServer } from "./demo-server.ts";
import { copyEmbeddedDemo } from "./run-directory/copy-embedded-demo.ts";

const startPatience = 180_000;

describe("a statement that does not end, on the embedded engine", () => {
  let directory: string;
  let server: RunningServer;
  let sessionId: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "sallyport-"));
    await copyEmbeddedDemo(directory);
    await makeEndless(directory);
    const storage = { engine: "embedded", dataDir: directory, statementTimeout: "1s" };
    server = await startConfiguredServer({
      databases: [{ alias: "", storage: { ...storage, schema: "sallyport_demo" } }],
    });
    sessionId = await logIn(server, "demo");
  }, startPatience);
  afterAll(async () => {
    await server.close();
    await rm(directory, { recursive: true });
  });

  const create = (name: string) =>
    call(server, "/v1/object/Customer", { method: "POST", sessionId, body: { Name: name } });

  test(
    "is answered 706, is undone, and keeps nothing from those who come next",
    async () => {
      expect((await create("Acknowledged")).code).toBe("0");
      const { status, code, body } = await create("Endless");
      expect({ status, code }).toEqual({ status: 503, code: "706" });
      expect(JSON.stringify(body)).not.toMatch(/insert|statement|sql/i);
      expect((await create("After")).code).toBe("0");
      const query = encodeURIComponent(
        JSON.stringify({ where: { Name: { $in: ["Acknowledged", "Endless", "After"] } } }),
      );
      const { data } = (await call(server, `/v1/objects/Customer?query=${query}`, { sessionId })).body;
      expect(data["~Elements"].map(({ Name }: { Name: string }) => Name)).toEqual(["Acknowledged", "After"]);
    },
    startPatience,
  );

  test(
    "delays waiting requests by no more than its timeout and a restart",
    async () => {
      const began = performance.now();
      const endless = create("Endless");
      const others = await Promise.all(Array.from({ length: 12 }, (_, n) => create(`Behind ${n}`)));
      expect(others.map(({ code }) => code)).toEqual(Array<string>(12).fill("0"));
      // A second for the statement; the restart takes less than two on a machine that has nothing else to do.
      expect(performance.now() - began).toBeLessThan(8_000);
      expect((await endless).code).toBe("706");
    },
    startPatience,
  );
});

/** From here on the creation of one customer never ends. */
async function makeEndless(dataDir: string): Promise<void> {
  const engine = await openEmbeddedEngine({ dataDir, durable: false });
  await engine.knex.raw(`
    create function sallyport_demo.run_endlessly() returns trigger language plpgsql as $$ begin loop end loop; end $$;
    create trigger endless before insert on sallyport_demo.objects for each row
      when (new.attributes ->> 'Name' = 'Endless') execute function sallyport_demo.run_endlessly()`);
  await engine.close();
}
