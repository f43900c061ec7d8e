import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { ClientSession, LogInMode } from "@sallyport/client";
import { AesGcmKeyWrapping } from "@sallyport/crypto";
import { openRealMariadb } from "@sallyport/test-kit/databases/mariadb";
import { isFullRun } from "@sallyport/test-kit/scope";
import { until } from "@sallyport/test-kit/jest/until";
import type { RunningServer } from "../../src/index.ts";
import { copyEmbeddedDemo } from "../copy-embedded-demo.ts";
import { startConfiguredServer, startSeededServer } from "../demo-server.ts";
import { form, formType, type Sender, senderOf } from "../files/file-sender.ts";
import { openSession } from "../open-session.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import type { Subject } from "../subject.ts";
import { runCommand } from "./run-command.ts";
import { type Ended, ServerProcess } from "./server-process.ts";

const keys = [randomBytes(32), randomBytes(32)] as const;
const [before, after] = keys.map((key) => key.toString("base64")) as [string, string];

/** The settings in the order of the guide. `early` is `finished` before it is time. */
const steps = {
  start: { MASTER_KEY: before },
  announced: { MASTER_KEY: before, FORMER_MASTER_KEYS: after },
  changed: { MASTER_KEY: after, FORMER_MASTER_KEYS: before },
  finished: { MASTER_KEY: after },
} as const;
type Step = keyof typeof steps;

const content = Buffer.from("Only the user reads these data.");
const modes: readonly LogInMode[] = ["session", "token", "secure"];

const send = (subject: Subject, session: ClientSession): Sender =>
  senderOf(
    () => subject as RunningServer,
    () => session,
  );

async function upload(subject: Subject, session: ClientSession): Promise<string> {
  const { code, data } = await send(subject, session)("POST", "/v1/uploadFile", form(content), formType);
  return code === "0" ? `/v1/file/${data["~ObjectID"]}` : code;
}

/** `0` for the content of the file, else the code. */
async function download(subject: Subject, session: ClientSession, path: string): Promise<string> {
  const { code, bytes } = await send(subject, session)("GET", path);
  return bytes.equals(content) ? "0" : code;
}

/** `0`, or the code of a refused log-in. */
const logIn = (subject: Subject, mode: LogInMode): Promise<string> =>
  openSession(subject, mode, "admin").then(
    () => "0",
    (error: { code?: unknown }) => String(error.code),
  );

interface Counts {
  readonly [kind: string]: readonly [former: number, unreadable: number];
}

/** The kinds in the printed JSON that are not wholly under the current key, and when the last session ends. */
function countsOf({ stdout }: Ended): {
  readonly left: Counts;
  readonly resealed: number;
  readonly until: string | null;
} {
  const printed: {
    resealed: number;
    secrets: { kind: string; former: number; unreadable: number; until: string }[];
  }[] = JSON.parse(stdout);
  const secrets = printed.flatMap((each) => each.secrets).filter(({ former, unreadable }) => former + unreadable > 0);
  return {
    left: Object.fromEntries(secrets.map(({ kind, former, unreadable }) => [kind, [former, unreadable]])),
    resealed: printed.reduce((sum, { resealed }) => sum + resealed, 0),
    until: secrets.find(({ kind }) => kind === "secureSession")?.until ?? null,
  };
}

/** Two server processes behind a load balancer, which sends no request to a server that is about to stop. */
class Fleet {
  private readonly members: { process: ServerProcess; url: string; readonly requests: Set<Promise<unknown>> }[] = [];
  private live: Fleet["members"] = [];

  constructor(private readonly environment: () => Record<string, string>) {}

  async start(step: Step): Promise<void> {
    for (let index = 0; index < 2; index += 1) {
      const process = this.launch(step);
      this.members.push({ process, url: await process.url(), requests: new Set() });
    }
    this.live = [...this.members];
  }

  launch(step: Step, words = ["serve"]): ServerProcess {
    return new ServerProcess(words, { ...this.environment(), ...steps[step] }, tmpdir());
  }

  /** Runs a request on a live server. */
  async request<T>(number: number, work: (subject: Subject) => Promise<T>): Promise<T> {
    const member = this.live[number % this.live.length] as Fleet["members"][number];
    const request = work(member);
    const ended = request.catch(() => {}).finally(() => member.requests.delete(ended));
    member.requests.add(ended);
    return request;
  }

  async restart(step: Step, order: readonly number[]): Promise<void> {
    for (const index of order) {
      const member = this.members[index] as Fleet["members"][number];
      this.live = this.members.filter((each) => each !== member);
      await Promise.all(member.requests);
      member.process.signal("SIGTERM");
      await member.process.ended;
      member.process = this.launch(step);
      member.url = await member.process.url();
      this.live = [...this.members];
    }
  }

  async kill(): Promise<void> {
    await Promise.all(this.members.map(({ process }) => process.kill()));
  }
}

/** Clients in all modes with requests all the time, until they are stopped. Returns the number of requests and the refusals. */
function startTraffic(fleet: Fleet, paths: readonly string[]) {
  const refused: string[] = [];
  let requests = 0;
  const end = new AbortController();
  const clients = modes.map(async (mode, index) => {
    let session = await fleet.request(index, (subject) => openSession(subject, mode, "admin"));
    for (let round = 0; !end.signal.aborted; round += 1) {
      const path = paths[round % paths.length] as string;
      const codes = [await fleet.request(requests, (subject) => download(subject, session, path))];
      if (round % 10 === 3) {
        const stored = await fleet.request(requests, (subject) => upload(subject, session));
        codes.push(stored.startsWith("/") ? "0" : stored);
      }
      if (round % 10 === 6) session = await fleet.request(requests, (subject) => openSession(subject, mode, "admin"));
      requests += codes.length;
      // Processor time for the processes that start.
      await pause(20);
      refused.push(...codes.filter((code) => code !== "0").map((code) => `${mode}: ${code}`));
    }
  });
  return async () => {
    end.abort();
    await Promise.all(clients);
    return { requests, refused };
  };
}

describe("a new master key on two servers", () => {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-master-key-"));
  let postgres: PostgresFixture;
  let fleet: Fleet;
  const environment = () => ({
    DATABASE_URL: postgres.url,
    PORT: "0",
    FILES_DIRECTORY: join(folder, "files"),
    FILES_ENCRYPT: "true",
  });
  beforeAll(async () => {
    postgres = await openPostgresFixture();
    fleet = new Fleet(environment);
    await fleet.start("start");
  });
  afterAll(async () => {
    await fleet.kill();
    await postgres.close();
    rmSync(folder, { recursive: true });
  });

  const run = (step: Step, ...words: string[]) =>
    runCommand([...words, "--alias="], { ...environment(), ...steps[step] }, folder);
  const reseal = (step: Step, ...more: string[]) => run(step, "key", "reseal", "--json", ...more);
  const number = async (query: string) =>
    Number((await postgres.sql.query(`select ${query} as number`)).rows[0].number);

  test("fails no request, and the job survives its end", async () => {
    const sessions = await Promise.all(
      modes.map((mode, index) => fleet.request(index, (subject) => openSession(subject, mode, "admin"))),
    );
    const [ofSession, , secure] = sessions as [ClientSession, ClientSession, ClientSession];
    const paths = [await fleet.request(0, (subject) => upload(subject, ofSession))];
    const stop = startTraffic(fleet, paths);

    await fleet.restart("announced", [0, 1]);
    await fleet.restart("changed", [1, 0]);

    // The key was removed from one server too early: it refuses, and nothing is lost.
    const early = fleet.launch("finished");
    const subject = { url: await early.url() };
    expect(await Promise.all(modes.map((mode) => logIn(subject, mode)))).toEqual(["0", "705", "705"]);
    expect(await download(subject, ofSession, paths[0] as string)).toBe("708");
    expect((await send(subject, secure)("GET", "/_CheckSession")).code).toBe("203");
    await early.kill();
    const [unreadable, check] = await Promise.all([reseal("finished", "--dry-run"), run("finished", "file", "check")]);
    expect([unreadable.code, unreadable.stderr]).toEqual([
      1,
      expect.stringMatching(/No configured master key decrypts/),
    ]);
    expect([check.code, check.stdout]).toEqual([1, expect.stringMatching(/ sealed$/m)]);

    // Enough to be killed amidst them.
    const texts = Array.from({ length: 4_000 }, () =>
      new AesGcmKeyWrapping(keys[0]).wrap(randomBytes(20), "second factor"),
    );
    await postgres.sql.query(
      `insert into sallyport_demo.records (kind, id, owner, value, version, born, created_at, expires_at)
      select 'secondFactor', 'killed' || n, 'killed', json_build_object('sealedSecret', text), 1, 1, now(), 'infinity'
      from unnest($1::text[]) with ordinality as t (text, n)`,
      [texts],
    );
    const job = fleet.launch("changed", ["key", "reseal", "--json"]);
    const changed = "(select count(*) from sallyport_demo.records where owner = 'killed' and version > 1)";
    await until(async () => (await number(changed)) !== 0);
    await job.kill();
    const done = await number(changed);
    expect(done).toBeLessThan(4_000);
    const counted = await reseal("changed", "--dry-run");
    expect([counted.code, countsOf(counted).left["secondFactor"]]).toEqual([2, [4_000 - done, 0]]);

    const resealed = await reseal("changed");
    expect(resealed.code).toBe(2);
    const { left, until: end } = countsOf(resealed);
    expect(left).toEqual({ secureSession: [expect.any(Number), 0] });
    const endsAt = "extract(epoch from max(ends_at)) from sallyport_demo.sessions where mode = 'secure'";
    expect(Date.parse(end ?? "")).toBeLessThanOrEqual(Math.ceil((await number(`(select ${endsAt})`)) * 1_000));
    for (const [index, session] of sessions.entries())
      expect(await fleet.request(index, (each) => download(each, session, paths[0] as string))).toBe("0");

    const { requests, refused } = await stop();
    expect(refused).toEqual([]);
    expect(requests).toBeGreaterThan(100);

    await postgres.sql.query("update sallyport_demo.sessions set expires_at = now() where mode = 'secure'");
    const last = await reseal("changed", "--dry-run");
    expect([last.code, countsOf(last).left]).toEqual([0, {}]);
    await fleet.restart("finished", [0]);
    expect(await Promise.all(modes.map((mode) => fleet.request(0, (each) => logIn(each, mode))))).toEqual([
      "0",
      "0",
      "0",
    ]);
    for (const session of sessions.slice(0, 2))
      expect(await fleet.request(0, (each) => download(each, session, paths[0] as string))).toBe("0");
  }, 120_000);
});

const onMariadb = (process.env["MARIADB_URL"] ?? "") !== "";
test.each(["embedded", ...(onMariadb ? ["MariaDB"] : [])])(
  "a new master key on %s seals everything again beside a server",
  async (engine) => {
    const folder = mkdtempSync(join(tmpdir(), "sallyport-master-key-"));
    const mariadb = engine === "MariaDB" ? await openRealMariadb() : null;
    // Restored into another embedded database, which takes the longest.
    const dumps = mariadb === null && isFullRun;
    const files = { encrypt: true, directory: join(folder, "files") };
    const storages = ["sallyport_demo", "sallyport_demo_second"].map((schema) =>
      mariadb === null
        ? { engine: "embedded", dataDir: folder, schema }
        : { url: mariadb.url, schema: mariadb.freshName(), migrateOnStart: true },
    ) as [object, object];
    const databases = [{ alias: "", name: "demo", storage: storages[0] }];
    const restored = { engine: "embedded", dataDir: join(folder, "restored") };
    writeFileSync(join(folder, "here.json"), JSON.stringify({ databases, files }));
    const restoredDatabases = [{ ...databases[0], storage: restored }];
    writeFileSync(join(folder, "there.json"), JSON.stringify({ databases: restoredDatabases, files }));
    const run = async (step: Step, words: string) => {
      const ended = await runCommand(words.split(" "), steps[step], folder);
      return words.startsWith("key reseal") && ended.code !== 1
        ? { code: ended.code, ...countsOf(ended) }
        : { code: ended.code, ...(ended.code === 1 && { stderr: ended.stderr }) };
    };
    const withServer = async (step: Step, work: (server: RunningServer) => Promise<void>, isNew = false) => {
      const environment = { ...steps[step], FILES_DIRECTORY: files.directory };
      const server = await (isNew
        ? startSeededServer(storages, environment, undefined, { files })
        : startConfiguredServer({ databases, files }, environment));
      await work(server).finally(() => server.close());
    };
    if (mariadb === null) await copyEmbeddedDemo(folder);
    const sessions: ClientSession[] = [];
    const paths: string[] = [];
    const downloads = (server: RunningServer) =>
      Promise.all(sessions.map((session) => download(server, session, paths[0] as string)));

    await withServer(
      "start",
      async (server) => {
        for (const mode of modes) sessions.push(await openSession(server, mode, "admin"));
        paths.push(await upload(server, sessions[0] as ClientSession));
        expect(await downloads(server)).toEqual(["0", "0", "0"]);
        if (dumps) expect(await run("start", "dump -o dump.gz --config here.json")).toEqual({ code: 0 });
      },
      mariadb !== null,
    );
    await withServer("changed", async (server) => {
      expect(await downloads(server)).toEqual(["0", "0", "0"]);
      const words = "key reseal --config here.json".split(" ");
      const dry = await runCommand([...words, "--dry-run"], steps.changed, folder);
      expect(dry.stdout).toMatch(
        /^DATABASE +KIND +TOTAL +UNDER A FORMER KEY +UNTIL +UNREADABLE\n\(empty\) +keyRing +2 +2 +/,
      );
      expect([dry.code, dry.stdout]).toEqual([2, expect.stringMatching(/\nSecrets need a former master key\. Run/)]);
      const first = await run("changed", "key reseal --json --config here.json");
      expect(first).toMatchObject({ code: 2, left: { secureSession: [1, 0] } });
      expect(await downloads(server)).toEqual(["0", "0", "0"]);
      const { stdout } = await runCommand(words, steps.changed, folder);
      expect(stdout).toMatch(
        /secureSession +\d+ +1 +(\S+Z) +0\n.* 0 records again\.\nThe .* are needed until \1, or until/,
      );
      await send(server, sessions.pop() as ClientSession)("POST", "/v1/logout");
      expect(await run("changed", "key reseal --json --config here.json")).toMatchObject({ code: 0, resealed: 0 });
    });
    await withServer("finished", async (server) => {
      expect(await downloads(server)).toEqual(["0", "0"]);
      expect(await Promise.all(modes.map((mode) => logIn(server, mode)))).toEqual(["0", "0", "0"]);
    });

    if (dumps) {
      expect(await run("changed", "restore -i dump.gz --config there.json")).toEqual({ code: 0 });
      // Two key pairs, and the key of the file, whose bytes were not dumped.
      expect(await run("changed", "key reseal --json --config there.json")).toMatchObject({ code: 0, resealed: 3 });
      expect(await run("finished", "key reseal --dry-run --json --config there.json")).toMatchObject({ code: 0 });
    }
    await mariadb?.close();
    rmSync(folder, { recursive: true });
  },
  120_000,
);
