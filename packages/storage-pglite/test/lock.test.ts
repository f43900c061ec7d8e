import { once } from "node:events";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import { DirectoryLockedError, holderState, lockDirectory } from "../src/lock/directory-lock.ts";
import { ownLockRecord, type LockRecord } from "../src/lock/lock-record.ts";
import { startScript } from "./processes/start-script.ts";
import { scratchDirectories } from "./scratch-directories.ts";

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
      expect(refusal).toBeInstanceOf(DirectoryLockedError);
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
    await writeFile(join(directory, "lock.twice.guard"), JSON.stringify(recordOfDeadProcess({ token: "died at it" })));
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

  it("works below a path longer than the limit of a socket", async () => {
    const directory = join(await newDirectory(), "d".repeat(120));
    await mkdir(directory);
    const lock = await lockDirectory(directory);
    await expect(lockDirectory(directory)).rejects.toThrow(DirectoryLockedError);
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
        if (outcome.status === "rejected") expect(outcome.reason).toBeInstanceOf(DirectoryLockedError);
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
