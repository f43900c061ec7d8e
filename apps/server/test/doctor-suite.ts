import type { OpenWriter } from "@sallyport/storage-knex";
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { type Database, ExamineDatabase, keyRingKind, type Repositories, ServiceError } from "@sallyport/core";
import { NodeDigests } from "@sallyport/crypto";
import type { Finding } from "../src/doctor/finding.ts";
import { openPostgresFixture, type PostgresFixture } from "./postgres-fixture.ts";
import { runCommand } from "./processes/run-command.ts";
import { certificateFor } from "./certificate-for.ts";
import { fileOf, findingsOf, folder, masterKey, ownFindingsOf, type Scene, tls } from "./doctor-scene.ts";

const google = { oAuthProviders: [{ name: "google" }], encryption: { masterKey } };
const httpsUrl = { server: { publicUrl: "https://api.example", maxRequestsInFlight: 500 } };

const writer = (properties: Partial<OpenWriter>): OpenWriter => ({
  transaction: "3/7",
  pid: 4711,
  role: "reports",
  application: "psql",
  prepared: null,
  age: null,
  ...properties,
});

/** A scene, and the finding that it provokes: check, level, words of the finding, words of the fix. */
const provoked: readonly (readonly [string, Scene, string, Finding["level"], RegExp, RegExp])[] = [
  ["an old Node.js", { nodeVersion: "18.20.0" }, "node", "error", /18\.20\.0 is too old/, /20\.19 or newer/],
  [
    "plain HTTP for other machines",
    { content: { server: { host: "0.0.0.0", maxRequestsInFlight: 500 } } },
    "configuration",
    "warning",
    /without TLS/,
    /server\.host/,
  ],
  [
    "a master key that is not random",
    { content: { encryption: { masterKey: Buffer.alloc(32, 7).toString("base64") } } },
    "secrets",
    "warning",
    /master key is not random/,
    /openssl rand/,
  ],
  [
    "a usual database password",
    { content: { databases: [{ storage: { url: "postgres://sallyport:postgres@db.example/x" } }] } },
    "secrets",
    "warning",
    /role "sallyport" is easy to guess/,
    /random password/,
  ],
  [
    "the app key of the demo",
    {
      prepare: ({ repositories: { appKeys } }) =>
        appKeys.create({ name: "a", appNames: [], origins: [] }, new NodeDigests().sha256("demo-app-key")),
    },
    "secrets",
    "warning",
    /public app key/,
    /without the demo data/,
  ],
  [
    "a key file that others can read",
    { content: { encryption: { masterKey, rsaKeyFile: fileOf("rsa.pem", certificateFor(1).key, 0o644) } } },
    "keys",
    "warning",
    /Other users .* key file .*rsa\.pem/,
    /^chmod 600 /,
  ],
  [
    "a key file without a key",
    { content: { encryption: { masterKey, rsaKeyFile: fileOf("empty.pem", "nothing") } } },
    "keys",
    "error",
    /empty\.pem cannot be used/,
    /Correct the file/,
  ],
  ["an expired certificate", { content: tls(-1) }, "certificate", "error", /expired on/, /Renew/],
  ["a certificate that expires soon", { content: tls(3) }, "certificate", "warning", /expires on/, /Renew/],
  [
    "a folder for files below a file",
    { content: { files: { directory: join(fileOf("a-file", ""), "files") } } },
    "files",
    "error",
    /cannot write to .*a-file/,
    /files\.directory/,
  ],
  [
    "a bucket that cannot be reached",
    {
      content: {
        files: {
          store: "s3",
          s3: { endpoint: "http://127.0.0.1:1", bucket: "files", accessKeyId: "a", secretAccessKey: "s3cret" },
        },
      },
    },
    "files",
    "error",
    /bucket "files" cannot be used/,
    /files\.s3/,
  ],
  [
    "a mail server that does not answer",
    { content: { mail: { smtp: { host: "127.0.0.1", port: 1 }, from: "a@mail.example" } } },
    "mail",
    "error",
    /ECONNREFUSED/,
    /mail\.smtp\.host/,
  ],
  [
    "callbacks over plain HTTP",
    { content: { ...google, server: { publicUrl: "http://api.example" } } },
    "callbacks",
    "error",
    /over plain HTTP/,
    /https URL/,
  ],
  [
    "a provider that is not registered",
    { content: { ...google, ...httpsUrl } },
    "providers",
    "warning",
    /google is enabled but not registered/,
    /provider add google/,
  ],
  [
    "a provider with incomplete data",
    {
      content: { ...google, ...httpsUrl },
      providers: [{ type: "google", fault: "clientId is missing", callback: null }],
    },
    "providers",
    "error",
    /clientId is missing/,
    /provider add google/,
  ],
  ["a clock that is a little ahead", { clockOffset: 20_000 }, "clock", "warning", /differs .* by 20 s/, /NTP/],
  ["a clock that is far behind", { clockOffset: -3_600_000 }, "clock", "error", /differs .* by 3600 s/, /NTP/],
  [
    "a replica that is left out",
    { facts: { replicas: [{ name: "h:5432", fault: "It is no standby.", lag: 0 }] } },
    "replicas",
    "warning",
    /h:5432 is left out\. It is no standby\./,
    /readUrls/,
  ],
  ["a standby", { facts: { isReadOnly: true } }, "rights", "error", /is read-only/, /primary/],
  [
    "missing privileges",
    { facts: { missingPrivileges: ["INDEX on x"] } },
    "rights",
    "error",
    /lacks INDEX on x/,
    /Grant/,
  ],
  [
    "a role that cannot migrate",
    { facts: { canChangeSchema: false } },
    "rights",
    "warning",
    /not migrate or create indexes/,
    /migrate" as the owner/,
  ],
  [
    "a transaction that keeps changes from devices",
    { facts: { openWriters: [writer({ age: 95_000 }), writer({ age: 500 })] } },
    "synchronization",
    "warning",
    /process 4711 of the role reports \(psql\) has been writing objects for 95 s/,
    /End the transaction/,
  ],
  [
    "a prepared transaction of unknown age",
    { facts: { openWriters: [writer({ pid: null, prepared: "two", application: "" })] } },
    "synchronization",
    "warning",
    /prepared transaction "two" of the role reports \(no application name\).* for an unknown time/,
    /End the transaction/,
  ],
  [
    "a pooler that drops the time limit",
    { facts: { statementTimeout: 0 } },
    "timeout",
    "warning",
    /never ends statements, not after the configured 30000 ms/,
    /alter role current_user set statement_timeout = 30000\./,
  ],
  [
    "a pooler that drops a setting",
    { facts: { missingSettings: ["jit = off"] } },
    "settings",
    "warning",
    /: jit = off is not in force/,
    /alter role current_user set jit = off\./,
  ],
  [
    "a role that cannot prove a failover",
    { facts: { failoverProof: "unreadable" } },
    "failover",
    "warning",
    /requests fail with 705 until "recover"/,
    /timeline_history/,
  ],
  [
    "commits that wait for one of several standbys",
    { facts: { failoverProof: "unclear" } },
    "failover",
    "warning",
    /one standby of several can have confirmed a commit/,
    /recover --nothing-lost/,
  ],
  [
    "an unsuitable engine",
    { facts: { unmetRequirements: async () => ["Its locks do nothing."] } },
    "engine",
    "error",
    /server is unsuitable\. Its locks do nothing\./,
    /guides/,
  ],
  ["a pool above the limit", { facts: { maxConnections: 9 } }, "connections", "error", /cannot fill/, /pool\.max/],
  [
    "a pool for one process only",
    { facts: { maxConnections: 19 } },
    "connections",
    "warning",
    /10 of 19 connections\. A second process/,
    /max_connections/,
  ],
  [
    "pools of workers above the limit",
    { content: { server: { workers: 3 } }, facts: { maxConnections: 29 } },
    "connections",
    "error",
    /10 of 29 connections\. The 3 workers of the server need 30\./,
    /pool\.max, or server\.workers/,
  ],
  [
    "pools of workers without room for a reload",
    { content: { server: { workers: 3 } }, facts: { maxConnections: 39 } },
    "connections",
    "warning",
    /10 of 39 connections\. A reload/,
    /server\.workers/,
  ],
  [
    "more requests than can wait",
    { content: { server: { maxRequestsInFlight: 5_000 } } },
    "pool",
    "warning",
    /accepts 5000 requests .* only 1010/,
    /maxWaiting/,
  ],
  [
    "fewer sessions than connections",
    { content: { sessions: { limit: 5 } } },
    "sessions",
    "warning",
    /allows 5 sessions, fewer than the 10/,
    /SESSION_LIMIT/,
  ],
  ["keys of another master key", { isSealedByOtherKey: true }, "keys", "error", /another master key/, /MASTER_KEY/],
  [
    "keys without a master key",
    {
      content: { encryption: {} },
      prepare: ({ repositories: { records } }) => records.put(keyRingKind, "rsa", []),
    },
    "keys",
    "error",
    /none is configured/,
    /MASTER_KEY/,
  ],
  [
    "a database of another version",
    { health: new ServiceError(705, { detail: "The database was migrated by a newer version of the server." }) },
    "schema",
    "error",
    /newer version/,
    /Start the newer version/,
  ],
  [
    "a database that cannot be opened",
    { opening: new Error("The adapter is missing.") },
    "database",
    "error",
    /cannot be used\. The adapter is missing/,
    /databases\[\]\.storage/,
  ],
];

/** `sallyport-server doctor`, and the examination behind it. */
export function doctorSuite(): void {
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
      "a standby",
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
        const examine = new ExamineDatabase({ examine: async () => [] });
        const r = { records: { count } } as unknown as Repositories;
        return examine.examineDatabase({ database: {} as Database, r });
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
    const findings = async (content: object): Promise<readonly [number, Finding[]]> => {
      const { code, stdout } = await doctor(content, "--json");
      return [code ?? 1, JSON.parse(stdout) as Finding[]];
    };
    const of = (url: string, schema: string) => ({ databases: [{ storage: { url, schema } }] });
    const levelsOf = (all: readonly Finding[], check: string) =>
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
        await postgres.sql.query(`grant usage on schema sallyport_demo to ${role}`);
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
}
