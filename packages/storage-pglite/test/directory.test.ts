import { once } from "node:events";
import { mkdir, readdir, rename, rm, writeFile, readFile, symlink } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import { DirectoryLockedError, EngineStoppedError, openEmbeddedEngine } from "@sallyport/storage-pglite";
import { DirectoryLockedError as SourceLockedError, holderState, lockDirectory } from "../src/lock/directory-lock.ts";
import { ownLockRecord, type LockRecord } from "../src/lock/lock-record.ts";
import { preparedDatabase } from "./prepared-database.ts";
import { startScript } from "./processes/start-script.ts";
import { scratchDirectories } from "./scratch-directories.ts";

const quiet = { warn() {}, error() {}, deprecate() {}, debug() {} };
const newDirectory = scratchDirectories();

const database = preparedDatabase();

describe("a database directory", () => {
  it("is created with its parents, keeps committed data, and contains only the cluster after close", async () => {
    const dataDir = join(await newDirectory(), "not", "there yet");
    const first = await openEmbeddedEngine({ dataDir, template: database.template });
    await first.knex.raw("create table kept as select 1 as one");
    expect((await readdir(dataDir)).toSorted()).toEqual(["cluster", "lock", expect.stringMatching(/^lock\..*\.sock$/)]);
    await first.close();
    expect(await readdir(dataDir)).toEqual(["cluster"]);
    const second = await openEmbeddedEngine({ dataDir });
    expect(await second.knex("kept")).toEqual([{ one: 1 }]);
    await second.close();
  }, 60_000);

  it("starts from a template, once", async () => {
    const dataDir = await newDirectory();
    await (await openEmbeddedEngine({ dataDir, template: database.template, durable: false })).close();
    await expect(openEmbeddedEngine({ dataDir, template: database.template })).rejects.toThrow(
      "already contains a database",
    );
    const engine = await openEmbeddedEngine({ dataDir });
    expect(await engine.knex("marks")).toEqual([]);
    await engine.close();
  }, 60_000);

  it("ignores an interrupted creation", async () => {
    const dataDir = await newDirectory();
    await mkdir(join(dataDir, "cluster.new"));
    await writeFile(join(dataDir, "cluster.new", "PG_VERSION"), "18\n");
    const engine = await openEmbeddedEngine({ dataDir, template: database.template });
    expect(await engine.knex("marks")).toEqual([]);
    await engine.close();
    expect(await readdir(dataDir)).toEqual(["cluster"]);
  }, 60_000);

  it("is refused to a second engine of the same process, and free after the first one closes", async () => {
    const dataDir = await database.newCopy();
    const first = await openEmbeddedEngine({ dataDir });
    const refusal: unknown = await openEmbeddedEngine({ dataDir }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(DirectoryLockedError);
    expect(refusal).toMatchObject({
      code: "DIRECTORY_LOCKED",
      directory: dataDir,
      lockFile: join(dataDir, "lock"),
      pid: process.pid,
    });
    await first.close();
    await (await openEmbeddedEngine({ dataDir })).close();
  }, 60_000);

  it("reports why a damaged database does not start, and is free again", async () => {
    const dataDir = await database.newCopy();
    await writeFile(join(dataDir, "cluster", "PG_VERSION"), "9.6\n");
    for (const _attempt of ["first", "second"]) {
      const refusal: unknown = await openEmbeddedEngine({ dataDir }).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(EngineStoppedError);
      expect((refusal as Error).message).toContain("incompatible");
    }
    expect(await readdir(dataDir)).toEqual(["cluster"]);
  }, 60_000);
});

describe("committed data exists", () => {
  it("immediately after kill -9 during writes", async () => {
    const dataDir = await database.newCopy();
    const writer = startScript("write-until-killed.mjs", dataDir);
    let acknowledged = 0;
    while (acknowledged < 300) acknowledged = Number(await writer.line());
    await expect(openEmbeddedEngine({ dataDir })).rejects.toMatchObject({ pid: writer.pid });
    await writer.kill();

    const engine = await openEmbeddedEngine({ dataDir });
    const pairs: { pair: number; halves: number }[] = (
      await engine.knex.raw("select pair, count(*)::int as halves from pairs group by pair order by pair")
    ).rows;
    expect(pairs).toEqual(pairs.map((_, index) => ({ pair: index + 1, halves: 2 })));
    expect(pairs.length).toBeGreaterThanOrEqual(acknowledged);
    await engine.knex.raw("reindex table pairs");
    await engine.close();
  }, 60_000);

  it("after the process exits without a close", async () => {
    const dataDir = await database.newCopy();
    expect(await startScript("open-and-exit.mjs", dataDir).end()).toBe(0);
    const engine = await openEmbeddedEngine({ dataDir });
    expect(await engine.knex("used")).toEqual([{ one: 1 }]);
    await engine.close();
  }, 60_000);

  it("after the disk refuses a write and the next query restarts the database", async () => {
    const dataDir = await database.newCopy();
    const log = join(dataDir, "cluster", "pg_wal");
    const engine = await openEmbeddedEngine({ dataDir, knex: { log: quiet }, acquireConnectionTimeout: 30_000 });
    const write = async (name: string): Promise<unknown> => engine.knex("marks").insert({ name });
    await write("before");
    await rename(log, `${log}.gone`);
    await expect(
      Promise.resolve(engine.knex.raw("select pg_switch_wal()")).then(() => write("lost")),
    ).rejects.toMatchObject({ severity: "PANIC" });
    await expect(write("lost too")).rejects.toMatchObject({ code: "ENGINE_STOPPED" });
    await rm(log, { recursive: true, force: true });
    await rename(`${log}.gone`, log);
    await write("after");
    expect(await engine.knex("marks").pluck("name")).toEqual(["before", "after"]);
    await engine.close();
  }, 60_000);
});

describe("the write-ahead log", () => {
  it.each([
    { durable: true, fsync: "on" },
    { durable: false, fsync: "off" },
  ])(
    "is synchronized as configured: $durable",
    async ({ durable, fsync }) => {
      const engine = await openEmbeddedEngine({ dataDir: await database.newCopy(), durable });
      const { rows } = await engine.knex.raw(
        "select name, setting from pg_settings where name in ('fsync', 'synchronous_commit', 'full_page_writes')",
      );
      expect(
        Object.fromEntries(rows.map(({ name, setting }: { name: string; setting: string }) => [name, setting])),
      ).toEqual({ fsync, synchronous_commit: "on", full_page_writes: "on" });
      await engine.close();
    },
    60_000,
  );

  it("does not grow without a limit", async () => {
    const dataDir = await database.newCopy();
    const engine = await openEmbeddedEngine({ dataDir, durable: false, checkpointBytes: 16 * 1024 * 1024 });
    for (let round = 0; round < 12; round += 1) {
      await engine.knex.raw(
        "insert into marks (name) select repeat(md5(n::text), 30) from generate_series(1, 10000) n",
      );
    }
    const [written] = (await engine.knex.raw("select (pg_current_wal_lsn() - '0/0')::bigint / 16777216 as segments"))
      .rows;
    const segments = (await readdir(join(dataDir, "cluster", "pg_wal"))).filter((name) => /^[0-9A-F]{24}$/.test(name));
    expect(Number(written.segments)).toBeGreaterThan(8);
    expect(segments.length).toBeLessThanOrEqual(6);
    await engine.close();
  }, 60_000);
});

describe("the lock of a directory", () => {
  const newDirectory = scratchDirectories();
  const own = ownLockRecord("own", null);

  /** An unused process ID: Linux assigns 22 bits at most. */
  const freePid = 2 ** 22 + 1;

  const recordOfDeadProcess = (changes: Partial<LockRecord> = {}): LockRecord => ({
    ...own,
    token: "gone",
    pid: freePid,
    ...changes,
  });

  async function lockLeftBy(record: unknown): Promise<string> {
    const directory = await newDirectory();
    await writeFile(join(directory, "lock"), typeof record === "string" ? record : JSON.stringify(record));
    return directory;
  }

  async function listenIn(directory: string, name: string): Promise<Server> {
    const server = createServer().listen(join(directory, name));
    await once(server, "listening");
    return server;
  }

  describe("the state of a lock holder", () => {
    const otherMachine = { bootId: "another boot", host: "another-host" };
    const otherContainer = { pidNamespace: "pid:[1]", pid: 1, start: "1" };
    const linux = own.bootId !== null;

    const cases: [title: string, record: LockRecord, expected: string][] = [
      ["this process", own, "alive"],
      ["an unused process ID", recordOfDeadProcess(), "gone"],
      ...(linux
        ? ([
            ["a reused process ID", recordOfDeadProcess({ pid: process.pid, start: "1" }), "gone"],
            ["the same machine before a restart", { ...own, bootId: "another boot" }, "gone"],
            ["another container without any visible sign", recordOfDeadProcess(otherContainer), "unknown"],
            [
              "another container with a dead beacon",
              recordOfDeadProcess({ ...otherContainer, beacon: "dead.sock" }),
              "gone",
            ],
            [
              "another container with a live beacon and a process ID unused here",
              recordOfDeadProcess({ ...otherContainer, pid: freePid, beacon: "live.sock" }),
              "alive",
            ],
            [
              "another container with a removed beacon",
              recordOfDeadProcess({ ...otherContainer, beacon: "none.sock" }),
              "gone",
            ],
          ] as [string, LockRecord, string][])
        : []),
      ["another host with a process ID used here", { ...own, ...otherMachine }, "unknown"],
      [
        "another host with a beacon that is not visible here",
        recordOfDeadProcess({ ...otherMachine, beacon: "dead.sock" }),
        "unknown",
      ],
    ];

    it.each(cases.map(([title, record, expected]) => ({ title, record, expected })))(
      "$title: $expected",
      async ({ record, expected }) => {
        const directory = await newDirectory();
        const live = await listenIn(directory, "live.sock");
        await writeFile(join(directory, "dead.sock"), "");
        expect(await holderState(directory, record)).toBe(expected);
        live.close();
      },
    );
  });

  describe("a directory lock", () => {
    it("is a file that names the holder and is removed on release", async () => {
      const directory = await newDirectory();
      const lock = await lockDirectory(directory);
      expect(lock.file).toBe(join(directory, "lock"));
      expect(JSON.parse(await readFile(lock.file, "utf8"))).toMatchObject({ pid: process.pid, host: hostname() });
      await Promise.all([lock.release(), lock.release()]);
      expect(await readdir(directory)).toEqual([]);
    });

    it("refuses a second holder, by any path", async () => {
      const directory = await newDirectory();
      const alias = join(await newDirectory(), "alias");
      await symlink(directory, alias);
      const lock = await lockDirectory(directory);
      for (const path of [directory, alias]) {
        const refusal: unknown = await lockDirectory(path).catch((error: unknown) => error);
        expect(refusal).toBeInstanceOf(SourceLockedError);
        expect(refusal).toMatchObject({ directory: path, pid: process.pid, holder: { seenAlive: true } });
        expect((refusal as Error).message).toContain(`process ${process.pid} on ${hostname()}`);
      }
      await lock.release();
      await (await lockDirectory(alias)).release();
    });

    it.each<[string, unknown]>([
      ["that is gone", recordOfDeadProcess()],
      ["that is gone, after a failed takeover", recordOfDeadProcess({ token: "twice" })],
    ])("is taken over from a holder %s", async (_title, record) => {
      const directory = await lockLeftBy(record);
      await writeFile(
        join(directory, "lock.twice.guard"),
        JSON.stringify(recordOfDeadProcess({ token: "died at it" })),
      );
      await writeFile(
        join(directory, "lock.other.candidate"),
        JSON.stringify(recordOfDeadProcess({ beacon: "lock.other.sock" })),
      );
      await writeFile(join(directory, "lock.other.sock"), "");
      const lock = await lockDirectory(directory);
      await lock.release();
      expect(await readdir(directory)).toEqual([]);
    });

    it.each<[string, unknown, Record<string, unknown>]>([
      ["on another host", recordOfDeadProcess({ host: "another-host", bootId: "another boot", pid: 77 }), { pid: 77 }],
      ["with an unreadable file", "{", { pid: undefined }],
      ["with an empty file", "", { pid: undefined }],
      ["with other content", '{"pid":"1"}', { pid: undefined }],
    ])("is respected for a holder %s, with advice", async (_title, record, expected) => {
      const directory = await lockLeftBy(record);
      const refusal: unknown = await lockDirectory(directory).catch((error: unknown) => error);
      expect(refusal).toMatchObject({ name: "DirectoryLockedError", ...expected, holder: { seenAlive: false } });
      expect((refusal as Error).message).toContain(`delete ${join(directory, "lock")}`);
      expect(await readdir(directory)).toEqual(["lock"]);
    });

    it("is respected if the file is a broken symbolic link, which cannot be read or replaced", async () => {
      const directory = await newDirectory();
      await symlink("nowhere", join(directory, "lock"));
      const refusal: unknown = await lockDirectory(directory).catch((error: unknown) => error);
      expect(refusal).toMatchObject({ name: "DirectoryLockedError", pid: undefined });
    });

    it("works below a path longer than the limit of a socket", async () => {
      const directory = join(await newDirectory(), "d".repeat(120));
      await mkdir(directory);
      const lock = await lockDirectory(directory);
      await expect(lockDirectory(directory)).rejects.toThrow(SourceLockedError);
      await lock.release();
      expect(await readdir(directory)).toEqual([]);
    });

    it("is granted to exactly one of many concurrent callers that find it stale", async () => {
      for (let round = 0; round < 20; round += 1) {
        const directory = await lockLeftBy(recordOfDeadProcess({ token: `round ${round}` }));
        const outcomes = await Promise.allSettled(Array.from({ length: 12 }, () => lockDirectory(directory)));
        const taken = outcomes.filter((outcome) => outcome.status === "fulfilled");
        expect(taken).toHaveLength(1);
        for (const outcome of outcomes) {
          if (outcome.status === "rejected") expect(outcome.reason).toBeInstanceOf(SourceLockedError);
        }
        await taken[0]?.value.release();
        expect(await readdir(directory)).toEqual([]);
      }
    }, 30_000);

    it("is granted to exactly one of several processes each time its holder is killed", async () => {
      const directory = await newDirectory();
      const racers = Array.from({ length: 6 }, () => startScript("take-lock.mjs", directory));
      try {
        for (const racer of racers) expect(await racer.line()).toBe("ready");
        while (racers.length > 1) {
          for (const racer of racers) racer.say("go");
          const answers = await Promise.all(racers.map((racer) => racer.line()));
          expect(answers.toSorted()).toEqual([...Array.from({ length: racers.length - 1 }, () => "refused"), "taken"]);
          const [winner] = racers.splice(answers.indexOf("taken"), 1);
          await expect(lockDirectory(directory)).rejects.toMatchObject({ pid: winner?.pid });
          await winner?.kill();
        }
      } finally {
        await Promise.all(racers.map((racer) => racer.kill()));
      }
      await (await lockDirectory(directory)).release();
      expect(await readdir(directory)).toEqual([]);
    }, 60_000);
  });
});
