import { assertError } from "@sallyport/testing/assert";
import { startTestService, type TestService, type TestServiceOptions } from "@sallyport/testing";
import { startRealPostgres } from "@sallyport/test-kit/databases/postgres";
import pg from "pg";
import { tickets } from "./content.ts";

const databases = { "": tickets, "other-one": { users: [{ name: "ada" }] } };

/** Services on SQL storages. */
export function storagesSuite(): void {
  const startAndReset = async (storage: NonNullable<TestServiceOptions["storage"]>): Promise<void> => {
    const service = await startTestService({ databases, storage });
    try {
      const refused = await service.as("root").get("/v1/object/999999");
      expect(() => assertError(refused, 307)).toThrow("Why it was refused");
      await changesAreUndone(service);
    } finally {
      await service.close();
    }
  };

  test("starts and resets the embedded engine", () => startAndReset("embedded"), 60_000);

  test("copies a template database on Postgres, and drops the copy", async () => {
    const postgres = await startRealPostgres();
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    const names = async (prefix: string): Promise<string[]> => {
      const { rows } = await client.query("select datname from pg_database where datname like $1 order by 1", [
        `${prefix}%`,
      ]);
      return rows.map(({ datname }) => datname);
    };
    try {
      const before = await names("sallyport\\_template\\_");
      const storage = { postgres: postgres.url };
      await startAndReset(storage);
      const after = await names("sallyport\\_template\\_");
      expect(after).not.toEqual([]);
      expect(after.filter((name) => !before.includes(name)).length).toBeLessThanOrEqual(1);
      const [one, two] = await Promise.all([
        startTestService({ databases, storage }),
        startTestService({ databases, storage }),
      ]);
      await one
        .as("root")
        .delete(`/v1/object/${one.id("first")}`)
        .expect(200);
      await two
        .as("ada")
        .get(`/v1/object/${two.id("first")}`)
        .expect(200);
      await Promise.all([one.close(), two.close()]);
      expect(await names("sallyport\\_template\\_")).toEqual(after);

      // Hashes of passwords depend on this setting, and clients of plain text have no digests.
      const configuration = { passwords: { clientHash: "none" } };
      const users = (tickets.users ?? []).filter((user) => !("passwordDigest" in user));
      const plain = await startTestService({ databases: { "": { ...tickets, users } }, storage, configuration });
      await plain.as("ada").get("/_CheckSession").expect(200);
      await plain.close();

      const own = await names("sallyport\\_test\\_");
      await expect(startTestService({ databases, storage, configuration: { unknown: true } })).rejects.toThrow(
        "unknown",
      );
      expect(await names("sallyport\\_test\\_")).toEqual(own);
    } finally {
      await client.end();
      await postgres.stop();
    }
  }, 60_000);
}

/** Writes in every table that a test can reach easily, then resets. */
async function changesAreUndone(service: TestService): Promise<void> {
  const root = service.as("root");
  const count = async (): Promise<number> => (await root.get("/v1/object/Ticket").expect(200)).body.data["~Count"];
  const before = await count();
  for (let round = 0; round < 2; round += 1) {
    const { body } = await root.post("/v1/object/Ticket").send({ Title: "New" }).expect(200);
    await root
      .patch(`/v1/object/${service.id("second")}`)
      .send({ Title: "Changed", Next: null })
      .expect(200);
    await root.delete(`/v1/object/${service.id("first")}`).expect(200);
    await root.delete(`/v1/object/${body.data["~ObjectID"]}?moveToRecycler=true`).expect(200);
    await root
      .put(`/v1/model/structure/Round${round}`)
      .send({ attributes: [], rights: [{ group: "*", permissions: ["read", "create"] }] })
      .expect(200);
    await service.as("ada", { mode: "secure" }).get("/_CheckSession").expect(200);
    await service.as("ada", { alias: "other-one", mode: "token" }).get("/_CheckSession").expect(200);
    service.clock.advance("3 h");
    await service.timers.runAll();
    await service.reset();

    expect(await count()).toBe(before);
    const second = await root.get(`/v1/object/${service.id("second")}`).expect(200);
    expect(second.body.data).toMatchObject({ Title: "Second", Next: { "~ObjectID": service.id("first") } });
    await root.get(`/v1/object/Round${round}`).expect(404);
    const trash = await root.get("/v1/recycler").expect(200);
    expect(trash.body.data["~Elements"]).toEqual([]);
  }
}
