import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import type { Repositories } from "@sallyport/storage";
import { type Database, examineDatabase } from "@sallyport/core";
import type { Diagnosis } from "../../src/doctor/diagnosis.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import { runCommand } from "../processes/run-command.ts";
import { fileOf, findingsOf, folder, ownFindingsOf } from "./doctor-scene.ts";
import { httpsUrl, provoked } from "./doctor-findings.ts";

/** `sallyport-server doctor`, and the examination behind it. */
describe("doctor", () => {
  afterAll(() => rmSync(folder, { recursive: true }));

  test("finds nothing wrong with a healthy server", async () => {
    const findings = await findingsOf({ content: { ...httpsUrl } });
    expect(findings.filter(({ level }) => level !== "ok")).toEqual([]);
    expect(findings.map(({ check }) => check)).toEqual(
      expect.arrayContaining(["node", "configuration", "secrets", "keys", "files", "mail", "database", "clock"]),
    );
    expect(findings.map(({ check }) => check)).toEqual(
      expect.arrayContaining(["engine", "rights", "timeout", "schema", "connections"]),
    );
  });

  test("finds nothing wrong without a master key: session ids need none", async () => {
    const findings = await findingsOf({ content: { ...httpsUrl, encryption: {} } });
    expect(findings.filter(({ level }) => level !== "ok")).toEqual([]);
    expect(findings.map(({ finding }) => finding)).toContain(
      "No master key is configured: token, encrypted and secure log-ins fail with 705.",
    );
  });

  test.each(provoked)("finds %s", async (_what, scene, check, level, finding, fix) => {
    const findings = await findingsOf(scene);
    const found = findings.filter((each) => each.check === check && each.level === level);
    expect(found).toEqual([{ check, level, finding: expect.stringMatching(finding), fix: expect.stringMatching(fix) }]);
    expect(JSON.stringify(findings)).not.toContain("s3cret");
  });

  describe("for administrators of one database", () => {
    const ofDatabase = new Set([
      "a transaction that keeps changes from devices",
      "a prepared transaction of unknown age",
      "the app key of the demo",
      "a provider that is not registered",
      "a provider with incomplete data",
      "a clock that is a little ahead",
      "a clock that is far behind",
      "a full disk",
      "a read-only database",
      "missing privileges",
      "a role that cannot migrate",
      "keys of another master key",
      "keys without a master key",
      "a database of another version",
    ]);
    const scenes = provoked.filter(([, { opening }]) => opening === undefined);

    test.each(scenes)("reports %s only if it is about the database", async (what, scene, check, level) => {
      const findings = await ownFindingsOf(scene);
      const notOk = findings.filter((each) => each.check === check && each.level !== "ok");
      expect(notOk.map((each) => each.level)).toEqual(ofDatabase.has(what) ? [level] : []);
      // Version and address of the database server, and its connections.
      expect(JSON.stringify(findings)).not.toMatch(/17\.2|127\.0\.0\.1|db\.example|connections|s3cret/);
      expect(findings.map((each) => each.check)).toContain("mail");
    });

    test("reports mail that cannot be delivered", async () => {
      const mailOf = async (oldest: number) => {
        const count = async () => ({ count: 3, oldest });
        const services = { databaseExaminer: { examine: async () => [] } };
        const r = { records: { count } } as unknown as Repositories;
        return examineDatabase({ database: {} as Database, r, services });
      };
      const finding = "The mail transport has failed for 90 s. Waiting messages: 3.";
      expect(await mailOf(90_000)).toMatchObject([{ check: "mail", level: "warning", finding }]);
      expect(await mailOf(0)).toEqual([{ check: "mail", level: "ok", finding: "Waiting messages: 3.", fix: null }]);
    });

    test("fails without the reason if the database does not answer", async () => {
      const reason = new Error("connect ECONNREFUSED 10.0.0.7:5432");
      const facts = {
        get isReadOnly(): boolean {
          throw reason;
        },
      };
      await expect(ownFindingsOf({ facts })).rejects.toMatchObject({ code: 607, detail: undefined });
    });
  });

  describe("the command", () => {
    let postgres: PostgresFixture;
    beforeAll(async () => {
      postgres = await openPostgresFixture();
    }, 60_000);
    afterAll(() => postgres.close());

    const doctor = async (content: object, ...args: readonly string[]) => {
      const file = fileOf("sallyport.config.json", JSON.stringify(content));
      return runCommand(["doctor", "--config", file, ...args], {}, folder);
    };
    const findings = async (content: object): Promise<readonly [number, Diagnosis[]]> => {
      const { code, stdout } = await doctor(content, "--json");
      return [code ?? 1, JSON.parse(stdout) as Diagnosis[]];
    };
    const of = (url: string, schema: string) => ({ databases: [{ storage: { url, schema } }] });
    const levelsOf = (all: readonly Diagnosis[], check: string) =>
      all.filter((each) => each.check === check).map(({ level }) => level);

    test("succeeds with warnings, as lines", async () => {
      const { code, stdout, stderr } = await doctor(of(postgres.url, "sallyport_demo"));
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout).toMatch(/^ok {6}schema: The database with the empty alias has the schema/m);
      expect(stdout).toMatch(/^ok {6}rights: /m);
      expect(stdout).toMatch(/^ok {6}timeout: .* 30000 ms\.$/m);
      expect(stdout).toMatch(/^warning secrets: .* demo\.\n {8}Use a database/m);
    });

    test("fails for an invalid configuration, with every fault", async () => {
      const [code, all] = await findings({ server: { prot: 1 }, databases: [] });
      expect(code).toBe(1);
      expect(all.map(({ level, finding }) => [level, finding])).toEqual([
        ["error", expect.stringMatching(/^server\.prot: is unknown/)],
        ["error", expect.stringMatching(/^databases: is required/)],
      ]);
    });

    test("examines the other databases if one is away or not migrated", async () => {
      const [code, all] = await findings({
        databases: [
          { alias: "away", storage: { url: "postgres://u:s3cret@127.0.0.1:1/d" } },
          { alias: "empty", storage: { url: postgres.url, schema: "nothing_here" } },
          { alias: "good", storage: { url: postgres.url, schema: "sallyport_demo" } },
        ],
      });
      expect(code).toBe(1);
      expect(levelsOf(all, "database")).toEqual(["error", "ok", "ok"]);
      expect(levelsOf(all, "schema")).toEqual(["error", "ok"]);
      expect(all.find(({ check, level }) => check === "schema" && level === "error")?.fix).toContain("migrate");
      expect(JSON.stringify(all)).not.toContain("s3cret");
    });

    test("tells a read-only database from one that cannot be reached", async () => {
      const name = `doctor_${randomBytes(6).toString("hex")}`;
      const url = Object.assign(new URL(postgres.url), { username: name, password: name });
      await postgres.sql.query(`create role ${name} login superuser password '${name}'`);
      await postgres.sql.query(`alter role ${name} set default_transaction_read_only = on`);
      try {
        const [code, all] = await findings(of(url.href, "sallyport_demo"));
        expect([code, levelsOf(all, "database"), levelsOf(all, "schema")]).toEqual([1, ["ok"], []]);
        expect(all.filter(({ level }) => level === "error")).toMatchObject([
          { check: "rights", finding: expect.stringContaining("is read-only") },
        ]);
      } finally {
        await postgres.sql.query(`drop role ${name}`);
      }
    });

    test("finds a role that lacks privileges, and one that can serve but not migrate", async () => {
      const role = `doctor_${randomBytes(6).toString("hex")}`;
      const password = randomBytes(12).toString("hex");
      const grant = (what: string) => postgres.sql.query(`grant ${what} in schema sallyport_demo to ${role}`);
      const url = Object.assign(new URL(postgres.url), { username: role, password });
      const rights = async () => {
        const [code, all] = await findings(of(url.href, "sallyport_demo"));
        return [code, all.find(({ check }) => check === "rights")];
      };
      await postgres.sql.query(`create role ${role} login password '${password}'`);
      try {
        const statements = async () => {
          const [, found] = await rights();
          return /: (.+)$/.exec((found as Diagnosis).fix ?? "")?.[1] ?? "";
        };
        const all = `in schema sallyport_demo to ${role};`;
        expect(await statements()).toBe(
          `grant usage on schema sallyport_demo to ${role}; grant select, insert, update, delete on all tables ${all} grant usage on all sequences ${all}`,
        );
        await postgres.sql.query("revoke execute on all functions in schema sallyport_demo from public");
        expect(await statements()).toContain(`grant execute on all functions ${all}`);
        await postgres.sql.query(await statements());
        expect(await rights()).toEqual([0, expect.objectContaining({ level: "warning" })]);
        await postgres.sql.query(`revoke execute on all functions in schema sallyport_demo from ${role}`);
        expect(await rights()).toEqual([
          1,
          expect.objectContaining({
            finding: expect.stringMatching(/lacks EXECUTE on attempt_throttle, EXECUTE on change_app_names, /),
          }),
        ]);
        await postgres.sql.query("grant execute on all functions in schema sallyport_demo to public");
        for (const what of ["select, insert, update, delete on all tables", "usage on all sequences"])
          await postgres.sql.query(`revoke ${what} in schema sallyport_demo from ${role}`);

        await grant("select on all tables");
        expect(await rights()).toEqual([
          1,
          expect.objectContaining({
            level: "error",
            finding: expect.stringMatching(
              /lacks INSERT on accounts, UPDATE on accounts, DELETE on accounts, INSERT on/,
            ),
          }),
        ]);
        await grant("insert, update, delete on all tables");
        expect(await rights()).toEqual([
          1,
          expect.objectContaining({
            level: "error",
            finding: expect.stringMatching(/lacks USAGE on object_ids, USAGE on record_versions, USAGE on stamps\.$/),
          }),
        ]);
        await grant("usage on all sequences");
        await postgres.sql.query(`revoke usage on sequence sallyport_demo.stamps from ${role}`);
        expect(await rights()).toEqual([
          1,
          expect.objectContaining({ level: "error", finding: expect.stringMatching(/lacks USAGE on stamps\.$/) }),
        ]);
        await grant("usage on all sequences");
        expect(await rights()).toEqual([0, expect.objectContaining({ level: "warning" })]);
      } finally {
        await postgres.sql.query(`drop owned by ${role}; drop role ${role}`);
      }
    });
  });
});
