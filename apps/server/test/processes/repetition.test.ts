import { randomBytes, randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { jest } from "@jest/globals";
import { openRealMariadb } from "@sallyport/test-kit/databases/mariadb";
import { logIn } from "../cases/run-cases.ts";
import { type Answer, call } from "../client.ts";
import { testedEngines } from "../engines.ts";
import { query } from "../objects/multi-fixture.ts";
import { openPostgresFixture } from "../postgres-fixture.ts";
import { requireVerified } from "../require-intact.ts";
import { runCommand } from "./run-command.ts";
import { ServerProcess } from "./server-process.ts";

/** A database, and how to remove it. */
interface Place {
  readonly storage: object;
  close(): Promise<void>;
}

const places: Readonly<Record<"Postgres" | "embedded" | "MariaDB", (folder: string) => Promise<Place>>> = {
  Postgres: async () => {
    const { url, close } = await openPostgresFixture({ empty: true });
    return { storage: { engine: "postgres", url, schema: "sallyport_demo" }, close };
  },
  embedded: async (folder) => ({ storage: { engine: "embedded", dataDir: folder }, close: async () => {} }),
  MariaDB: async () => {
    const mariadb = await openRealMariadb();
    return { storage: { engine: "mariadb", url: mariadb.url, schema: mariadb.freshName() }, close: mariadb.close };
  },
};

const engines = testedEngines.flatMap((each) => (each === "memory" ? [] : each));

describe.each(engines)("requests with a key while servers die, on %s", (engine) => {
  jest.setTimeout(120_000);

  const folder = mkdtempSync(join(tmpdir(), "sallyport-repetition-"));
  const environment = {
    SALLYPORT_CONFIG: join(folder, "sallyport.config.json"),
    MASTER_KEY: randomBytes(32).toString("base64"),
    PORT: "0",
  };
  const running = new Set<ServerProcess>();
  let place: Place;
  let sessionId: string;

  beforeAll(async () => {
    place = await places[engine](folder);
    writeFileSync(
      environment.SALLYPORT_CONFIG,
      JSON.stringify({ databases: [{ storage: { ...place.storage, migrateOnStart: true } }] }),
    );
    for (const words of [["migrate"], ["seed"]])
      expect(await runCommand(words, environment, folder)).toMatchObject({ code: 0 });
  }, 60_000);
  afterAll(async () => {
    await Promise.all([...running].map((each) => each.kill()));
    await place.close();
    rmSync(folder, { recursive: true });
  });

  async function start() {
    const process = new ServerProcess(["serve"], environment, folder);
    running.add(process);
    return { process, url: await process.url() };
  }

  const send = ({ url }: { readonly url: string }, path: string, key: string, body: object): Promise<Answer | null> =>
    call({ url }, path, { method: "POST", sessionId, headers: { "idempotency-key": key }, body }).catch(() => null);

  test("have one effect each, on any server", async () => {
    // The embedded engine serves one process at a time.
    const several = engine !== "embedded";
    let first = await start();
    let second = several ? await start() : first;
    sessionId = await logIn(first, "demo");
    const bodies = Array.from({ length: 12 }, (_, index) => {
      const Name = `${randomUUID()} ${index}`;
      const item = { method: "POST", path: "/v1/object/Customer", data: { Name } };
      return index % 2 === 0
        ? { Name, path: "/v1/object/Customer", body: { Name }, count: 1 }
        : { Name, path: "/v1/multi", body: [item, item, item], count: 3 };
    });
    for (let kill = 0; kill < 3; kill += 1) {
      const keys = bodies.map(({ Name }) => `${Name} ${kill}`);
      const all = (server: { readonly url: string }) =>
        Promise.all(bodies.map(({ path, body }, index) => send(server, path, keys[index] as string, body)));
      const attempts = [all(first), ...(several ? [all(second)] : [])];
      await pause(10 + 40 * kill);
      await first.process.kill();
      const early = (await Promise.all(attempts)).flat();
      [first, second] = several ? [second, await start()] : [await start(), first];
      const late = await all(first);
      expect(late.map((answer) => answer?.code)).toEqual(late.map(() => "0"));
      for (const [index, { Name, count }] of bodies.entries()) {
        const list = await call(first, `/v1/objects/Customer?${query({ Name })}`, { sessionId });
        expect([Name, list.body.data["~Count"]]).toEqual([Name, count * (kill + 1)]);
        const answers = [early[index], early[bodies.length + index], late[index]].flatMap((answer) =>
          answer?.code === "0" ? [JSON.stringify(answer.body.data)] : [],
        );
        expect(new Set(answers).size).toBe(1);
      }
    }
    await Promise.all([...running].map((each) => each.kill()));
    await requireVerified(environment, folder);
  });
});
