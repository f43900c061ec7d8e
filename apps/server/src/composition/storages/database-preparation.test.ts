import { type Database, ServiceError } from "@sallyport/core";
import { pino } from "pino";
import type { DatabaseConfiguration } from "../../configuration/index.ts";
import { DatabasePreparation } from "./database-preparation.ts";

const configured = (alias: string, migrateOnStart: boolean) => ({ alias, migrateOnStart }) as DatabaseConfiguration;

function prepared(alias: string, storage: object, migrateOnStart: boolean) {
  const lines: string[] = [];
  const logged = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const migrated: string[] = [];
  let told = () => {};
  const migration = new Promise<void>((resolve) => {
    told = resolve;
  });
  const preparation = new DatabasePreparation({
    databases: new Map([
      [alias, { alias, storage } as unknown as Database],
      ["later", null],
    ]),
    configurations: [configured(alias, migrateOnStart), configured("later", true)],
    logger: pino({}, { write: (line: string) => void lines.push(line) }),
    afterMigration: async (database, hasChanged) => {
      migrated.push(`${database.alias}${hasChanged ? " changed" : ""}`);
      told();
    },
    firstPause: 1,
  });
  return { preparation, logged, migrated, migration };
}

test("migrates where that is wanted, and says so", async () => {
  const { preparation, logged, migrated } = prepared("a", { migrate: async () => ({ applied: ["0001"] }) }, true);
  await preparation.run();
  expect(migrated).toEqual(["a changed"]);
  expect(logged()).toMatchObject([{ alias: "a", applied: ["0001"], msg: "database migrated" }]);
});

test("only looks where it is not wanted, and warns", async () => {
  const health = async () => {
    throw new ServiceError(705);
  };
  const { preparation, logged, migrated } = prepared("", { health }, false);
  await preparation.run();
  expect(migrated).toEqual([]);
  const reason = 'The database is not migrated. Run "sallyport-server migrate" first.';
  expect(logged()).toMatchObject([{ level: 40, alias: "", code: 705, reason, msg: "database cannot be used yet" }]);
  expect(logged()[0]).not.toHaveProperty("err");
});

test("logs the whole error where nobody knows the reason", async () => {
  const health = async () => {
    throw new Error("surprise");
  };
  const { preparation, logged } = prepared("", { health }, false);
  await preparation.run();
  expect(logged()).toMatchObject([{ level: 40, err: { message: "surprise", stack: expect.any(String) } }]);
});

test("tries again until a database that was down is migrated", async () => {
  let tries = 0;
  const migrate = async () => {
    tries += 1;
    if (tries < 3) throw new ServiceError(704);
    return { applied: [] };
  };
  const { preparation, logged, migration } = prepared("", { migrate }, true);
  await preparation.run();
  const alive = setInterval(() => {}, 1_000);
  await migration;
  clearInterval(alive);
  expect(tries).toBe(3);
  expect(logged()).toHaveLength(2);
});

test("remembers what was applied until the work after it has succeeded", async () => {
  const answers = [["0001"], [], []];
  const told: boolean[] = [];
  const preparation = new DatabasePreparation({
    databases: new Map([
      [
        "",
        { alias: "", storage: { migrate: async () => ({ applied: answers.shift() ?? [] }) } } as unknown as Database,
      ],
    ]),
    configurations: [configured("", true)],
    logger: pino({ enabled: false }),
    afterMigration: async (_database, hasChanged) => {
      told.push(hasChanged);
      if (told.length < 3) throw new ServiceError(704);
      done();
    },
    firstPause: 1,
  });
  let done = () => {};
  const finished = new Promise<void>((resolve) => {
    done = resolve;
  });
  const alive = setInterval(() => {}, 1_000);
  await preparation.run();
  await finished;
  clearInterval(alive);
  expect(told).toEqual([true, true, true]);
});

test("tries no more once stopped", async () => {
  let tries = 0;
  const migrate = async () => {
    tries += 1;
    throw new ServiceError(704);
  };
  const { preparation, logged } = prepared("", { migrate }, true);
  const running = preparation.run();
  preparation.stop();
  await running;
  expect({ tries, logged: logged() }).toEqual({ tries: 1, logged: [] });
});

test("the demo does not start if an embedded database cannot be prepared", async () => {
  const storage = { engine: "embedded", dataDir: "/nowhere" };
  const migrate = async () => {
    throw new Error("no room");
  };
  const parts = {
    databases: new Map([["", { alias: "", storage: { migrate } } as unknown as Database]]),
    configurations: [{ alias: "", migrateOnStart: true, storage } as DatabaseConfiguration],
    logger: pino({ enabled: false }),
    afterMigration: async () => {},
  };
  await expect(new DatabasePreparation({ ...parts, demo: true }).run()).rejects.toThrow("no room");
  const served = new DatabasePreparation(parts);
  await expect(served.run()).resolves.toBeUndefined();
  served.stop();
});
