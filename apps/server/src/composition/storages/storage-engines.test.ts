import { ServiceError } from "@sallyport/storage";
import type { Database } from "@sallyport/core";
import { pino } from "pino";
import type { EmbeddedStorage } from "../../configuration/index.ts";
import { ServedDatabases } from "../../databases/served-databases.ts";
import { StartError } from "../start-error.ts";
import { DatabasePreparation } from "./database-preparation.ts";
import { directoryDiagnostics } from "./embedded.ts";

/** Storages of the engines. */
describe("storages", () => {
  const configured = (migrateOnStart: boolean) => ({ migrateOnStart, storage: null });
  const preparations: DatabasePreparation[] = [];
  afterEach(() => {
    for (const preparation of preparations.splice(0)) preparation.stop();
  });

  function prepared(alias: string, storage: object, migrateOnStart: boolean) {
    const lines: string[] = [];
    const logged = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    const migrated: string[] = [];
    let migrationDone = () => {};
    const migration = new Promise<void>((resolve) => {
      migrationDone = resolve;
    });
    let examined = () => {};
    const settingsExamined = new Promise<void>((resolve) => {
      examined = () => setImmediate(resolve);
    });
    const preparation = new DatabasePreparation({
      examineSettings: async () => {
        examined();
        return migrateOnStart
          ? []
          : [
              { check: "settings", level: "ok", finding: "y is on.", fix: null },
              { check: "settings", level: "warning", finding: "x is off.", fix: "Set x." },
            ];
      },
      databases: new ServedDatabases(),
      logger: pino({}, { write: (line: string) => void lines.push(line) }),
      afterMigration: async (database, hasChanged) => {
        migrated.push(`${database.alias}${hasChanged ? " changed" : ""}`);
        migrationDone();
      },
      firstPause: 1,
    });
    preparations.push(preparation);
    const run = () => preparation.prepare(configured(migrateOnStart), { alias, storage } as unknown as Database);
    return { run, preparation, logged, migrated, migration, settingsExamined };
  }

  test("migrates when configured to, and logs it", async () => {
    const { run, logged, migrated } = prepared("a", { migrate: async () => ({ applied: ["0001"] }) }, true);
    await run();
    expect(migrated).toEqual(["a changed"]);
    expect(logged()).toMatchObject([{ alias: "a", applied: ["0001"], msg: "Database migrated" }]);
  });

  test("only checks when not configured to migrate, and warns", async () => {
    const health = async () => {
      throw new ServiceError(705);
    };
    const { run, logged, migrated } = prepared("", { health }, false);
    await run();
    expect(migrated).toEqual([]);
    const reason = 'The database is not migrated. Run "sallyport-server migrate" first.';
    expect(logged()).toMatchObject([{ level: 40, alias: "", code: 705, reason, msg: "Database unavailable" }]);
    expect(logged()[0]).not.toHaveProperty("err");
  });

  test("checks until a database that was down is available, warns of that once, and of its settings", async () => {
    let tries = 0;
    const health = async () => {
      tries += 1;
      if (tries < 3) throw new ServiceError(704);
    };
    const { run, logged, settingsExamined } = prepared("a", { health }, false);
    await run();
    const alive = setInterval(() => {}, 1_000);
    await settingsExamined;
    clearInterval(alive);
    expect(tries).toBe(3);
    expect(logged()).toMatchObject([
      { level: 40, code: 704, msg: "Database unavailable" },
      { level: 40, alias: "a", finding: "x is off.", fix: "Set x.", msg: "Connection settings are not in force" },
    ]);
  });

  test("logs the whole error when the reason is unknown", async () => {
    const health = async () => {
      throw new Error("surprise");
    };
    const { run, logged } = prepared("", { health }, false);
    await run();
    expect(logged()).toMatchObject([{ level: 40, err: { message: "surprise", stack: expect.any(String) } }]);
  });

  test("retries until a database that was down is migrated", async () => {
    let tries = 0;
    const migrate = async () => {
      tries += 1;
      if (tries < 3) throw new ServiceError(704);
      return { applied: [] };
    };
    const { run, logged, migration } = prepared("", { migrate }, true);
    await run();
    const alive = setInterval(() => {}, 1_000);
    await migration;
    clearInterval(alive);
    expect(tries).toBe(3);
    expect(logged()).toHaveLength(2);
  });

  test("records an applied migration until the work after it succeeds", async () => {
    const answers = [["0001"], [], []];
    const changes: boolean[] = [];
    const preparation = new DatabasePreparation({
      databases: new ServedDatabases(),
      logger: pino({ enabled: false }),
      afterMigration: async (_database, hasChanged) => {
        changes.push(hasChanged);
        if (changes.length < 3) throw new ServiceError(704);
        done();
      },
      firstPause: 1,
    });
    let done = () => {};
    const finished = new Promise<void>((resolve) => {
      done = resolve;
    });
    const alive = setInterval(() => {}, 1_000);
    const migrate = async () => ({ applied: answers.shift() ?? [] });
    await preparation.prepare(configured(true), { alias: "", storage: { migrate } } as unknown as Database);
    await finished;
    clearInterval(alive);
    expect(changes).toEqual([true, true, true]);
  });

  test("stops retrying when stopped", async () => {
    let tries = 0;
    const migrate = async () => {
      tries += 1;
      throw new ServiceError(704);
    };
    const { run, preparation, logged } = prepared("", { migrate }, true);
    const running = run();
    preparation.stop();
    await running;
    expect({ tries, logged: logged() }).toEqual({ tries: 1, logged: [] });
  });

  test("the demo does not start if an embedded database cannot be prepared", async () => {
    const storage = { engine: "embedded", dataDir: "/nowhere" } as EmbeddedStorage;
    const migrate = async () => {
      throw new Error("no room");
    };
    const parts = {
      databases: new ServedDatabases(),
      logger: pino({ enabled: false }),
      afterMigration: async () => {},
    };
    const database = { alias: "", storage: { migrate } } as unknown as Database;
    const configuration = { migrateOnStart: true, storage };
    const demo = new DatabasePreparation({ ...parts, demo: true });
    await expect(demo.prepare(configuration, database)).rejects.toThrow("no room");
    const served = new DatabasePreparation(parts);
    await expect(served.prepare(configuration, database)).resolves.toBeUndefined();
    served.stop();
  });

  const refusal = (code: string) => Object.assign(new Error(`${code}: mkdir`), { code, syscall: "mkdir" });

  test.each([
    [
      "EACCES",
      /this user has no write permission: \/ belongs to user id \d+ with mode \d+, and this process has user id \d+/,
    ],
    ["EROFS", /its file system is read-only/],
    ["ENOSPC", /its file system is full/],
    ["EIO", /the operating system refuses it \(EIO\)/],
  ])("explains %s as: %s", (code, words) => {
    const cause = refusal(code);
    const trouble = directoryDiagnostics(cause, "/data") as StartError;
    expect(trouble).toBeInstanceOf(StartError);
    expect(trouble.cause).toBe(cause);
    expect(trouble.message).toMatch(
      new RegExp(`^The data directory /data cannot be used: ${words.source}\\. Set DATA_DIR to another directory\\.$`),
    );
  });

  test("other errors stay unchanged", () => {
    const error = new Error("The data directory is in use.");
    expect(directoryDiagnostics(error, "/data")).toBe(error);
  });
});
