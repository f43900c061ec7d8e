import { randomBytes } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunningServer } from "../../src/index.ts";
import { call, tryLogIn } from "../client.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import { appKey } from "../subject.ts";
import { runCommand } from "./run-command.ts";
import type { Ended } from "./server-process.ts";

/** Commands for stored files. */
describe("files", () => {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-file-commands-"));
  const directory = join(folder, "files");
  const archive = join(folder, "demo.ndjson");
  let postgres: PostgresFixture;
  let server: RunningServer;
  let sessionId: string;
  /** The object of a large file. */
  let large: { readonly "~ObjectID": string; readonly Sha256: string };

  beforeAll(async () => {
    postgres = await openPostgresFixture({ empty: true });
    server = await postgres.demo({ FILES_DIRECTORY: directory });
    const { url } = postgres;
    const databases = [
      { alias: "", storage: { url, schema: "sallyport_demo" } },
      ...["copy", "other", "retried"].map((alias) => ({
        alias,
        storage: { url, schema: alias, migrateOnStart: true },
      })),
      { alias: "embedded", storage: { engine: "embedded", dataDir: join(folder, "embedded") } },
    ];
    writeFileSync(join(folder, "sallyport.config.json"), JSON.stringify({ databases, files: { directory } }));
    ({ sessionId } = (await tryLogIn(server, "admin")).body.data);
    large = await upload(randomBytes(2_500_000), "large.bin");
    await upload(Buffer.from("hello"), "Hello.txt");
    const begun = await call(server, "/v1/uploadFile", { sessionId });
    const headers = { ...head(), "content-type": "application/octet-stream", "content-range": "bytes 2-4/9" };
    await fetch(`${server.url}/v1/uploadFile/${begun.body.data.uploadId}`, { method: "PATCH", headers, body: "abc" });
    expect(await run("", "dump", "--files", "-o", archive)).toMatchObject({
      code: 0,
      stdout: `Dumped 1,223 objects and 5 files into ${archive}.\n`,
    });
  });
  afterAll(async () => {
    await postgres.close();
    rmSync(folder, { recursive: true });
  });

  const head = () => ({ appkey: appKey, sessionid: sessionId });
  async function upload(bytes: Buffer, name: string) {
    const body = new FormData();
    body.append("file", new Blob([new Uint8Array(bytes)], { type: "text/plain" }), name);
    const answer = await fetch(`${server.url}/v1/uploadFile`, { method: "POST", headers: head(), body });
    return ((await answer.json()) as { data: typeof large }).data;
  }
  const run = (alias: string, ...args: string[]): Promise<Ended> =>
    runCommand([...args, ...(alias === "" ? [] : ["--alias", alias])], {}, folder);
  const listed = async (alias: string): Promise<{ file: string; name: string; state: string }[]> =>
    JSON.parse((await run(alias, "file", "list", "--json")).stdout);
  const storeOf = (alias: string) => join(directory, alias === "" ? "_default" : alias);
  const storedIn = (alias: string) =>
    existsSync(storeOf(alias))
      ? readdirSync(storeOf(alias)).flatMap((each) => readdirSync(join(storeOf(alias), each)))
      : [];
  const complete = (found: { state: string }[]) => found.filter(({ state }) => state === "complete");
  const all = { code: 0, stdout: "Checked 5 files of 2.4 MiB. All are complete.\n" };

  test("list files with their state", async () => {
    const { stdout } = await run("", "file", "list");
    const [heading, ...lines] = stdout.trimEnd().split("\n");
    expect(heading).toMatch(/^OBJECT ID +NAME +SIZE +MEDIA TYPE +STATE +SINCE$/);
    const shown = [
      /^\w+ +large\.bin +2\.4 MiB +text\/plain +complete +20\S+Z$/,
      /^\w+ +Hello\.txt +5 bytes +text\/plain +complete +20\S+Z$/,
      /^none +none +3 bytes +none +uploading +20\S+Z$/,
    ];
    for (const line of shown) expect(lines).toContainEqual(expect.stringMatching(line));
    expect(lines).toHaveLength(6);
    const named = await run("", "file", "list", "--name", "hello", "--state", "complete", "--json");
    expect(JSON.parse(named.stdout)).toMatchObject([{ name: "Hello.txt", size: 5, state: "complete", uploader: null }]);
    expect(await run("", "file", "list", "--state", "unused")).toMatchObject({
      stdout: "",
      stderr: "There are no files.\n",
    });
  });

  test("are restored into other databases, and dumped again", async () => {
    expect(await run("copy", "restore", "--files", "-i", archive)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Restored 1,223 objects and 5 files of the database/),
      stderr: "",
    });
    expect(await run("copy", "file", "check")).toEqual({ ...all, stderr: "" });
    expect(await listed("copy")).toEqual(complete(await listed("")));

    const again = join(folder, "again.ndjson.gz");
    await run("copy", "dump", "--files", "-o", again);
    expect(await run("embedded", "restore", "--files", "-i", again)).toMatchObject({ code: 0 });
    expect(await run("embedded", "file", "check", "--fast")).toMatchObject(all);
    expect(await listed("embedded")).toEqual(complete(await listed("")));
    expect(await run("copy", "restore", "--files", "-i", archive)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: The database "copy" is not empty\./m),
    });
    expect(storedIn("copy")).toHaveLength(5);
  });

  test("are left out of a restore without --files, and can be copied", async () => {
    expect(await run("other", "restore", "-i", archive)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Restored 1,223 objects of the database/),
      stderr: "note: The bytes of the files were not restored. Copy the file store, or use --files.\n",
    });
    expect(complete(await listed("other"))).toEqual(complete(await listed("")));
    expect((await run("other", "file", "check")).code).toBe(1);
    cpSync(storeOf(""), storeOf("other"), { recursive: true });
    expect(await run("other", "file", "check")).toMatchObject(all);
    const plain = join(folder, "plain.ndjson");
    await run("", "dump", "-o", plain);
    expect(await run("retried", "restore", "--files", "-i", plain)).toMatchObject({
      code: 1,
      stderr: "error: The archive contains no files. Restore it without --files.\n",
    });
  });

  test("are removed again if the archive is damaged, and can be restored afterwards", async () => {
    const text = readFileSync(archive, "latin1");
    const broken = join(folder, "broken.ndjson");
    for (const [damaged, message] of [
      [text.slice(0, -200), /the archive is truncated/],
      [
        text.replace(/"[A-Za-z0-9+/]{100}/, (found) => `"AAAA${found.slice(5)}`),
        /the checksum does not match|The bytes differ from the SHA-256/,
      ],
    ] as const) {
      writeFileSync(broken, damaged, "latin1");
      expect(await run("retried", "restore", "--files", "-i", broken)).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(message),
      });
      expect(storedIn("retried")).toEqual([]);
    }
    expect(await run("retried", "restore", "--files", "-i", archive)).toMatchObject({ code: 0 });
    expect(await run("retried", "file", "check")).toMatchObject(all);
  });

  test("are reported if bytes are missing or damaged, and not dumped", async () => {
    const { file = "" } = (await listed("")).find(({ name }) => name === "large.bin") ?? {};
    const stored = join(storeOf(""), file.slice(0, 2), file);
    const [segment = ""] = readdirSync(stored);
    const bytes = readFileSync(join(stored, segment));
    const problem = (word: string) => ({
      code: 1,
      stdout: expect.stringMatching(
        new RegExp(`large\\.bin +2\\.4 MiB +${file} +${word}\nChecked 5 files of 2\\.4 MiB\\.\n$`),
      ),
      stderr: expect.stringMatching(/^error: 1 file is missing or damaged\.$/m),
    });
    writeFileSync(join(stored, segment), Buffer.concat([bytes.subarray(1), Buffer.of(0)]));
    expect(await run("", "file", "check")).toMatchObject(problem("damaged"));
    expect(await run("", "file", "check", "--fast")).toMatchObject(all);
    expect(await run("", "verify")).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/files +The bytes of the file \w+ are damaged/),
      stderr: expect.stringMatching(/1 invariant is violated/),
    });
    expect(await run("", "verify", "--fast")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Verified [\d,]+ records\. All invariants hold\.$/m),
    });
    renameSync(join(stored, segment), join(folder, segment));
    expect(await run("", "file", "check", "--fast")).toMatchObject(problem("missing"));
    const output = join(folder, "none.ndjson");
    expect(await run("", "dump", "--files", "-o", output)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        `error: The bytes of the file "large.bin" (object ${large["~ObjectID"]}) are missing or damaged. Nothing was written. Run "sallyport-server file check".`,
      ),
    });
    expect([existsSync(output), existsSync(`${output}.partial`)]).toEqual([false, false]);
    expect(JSON.parse((await run("", "file", "check", "--json")).stdout)).toMatchObject({
      files: 5,
      problems: [{ objectId: large["~ObjectID"], name: "large.bin", problem: "missing" }],
      unknown: [],
    });
    writeFileSync(join(stored, segment), bytes);
    expect(await run("", "file", "check")).toMatchObject(all);
  });

  test("without an object are collected, and unknown ones stay", async () => {
    const { "~ObjectID": id } = await upload(Buffer.from("short"), "short.txt");
    await call(server, `/v1/object/${id}?recycled=false`, { method: "DELETE", sessionId });
    const unknown = "f".repeat(32);
    mkdirSync(join(storeOf(""), "ff", unknown), { recursive: true });
    const note = expect.stringMatching(/^note: The store has 1 file that the database does not know/m);
    expect(await run("", "file", "check")).toMatchObject({ code: 0, stderr: note });
    expect(await run("", "file", "collect")).toMatchObject({
      code: 0,
      stdout: "Removed 0 unused files.\nKept 1 unused file younger than 1d.\n",
      stderr: note,
    });
    const now = ["file", "collect", "--older-than", "0s"];
    expect(await run("", ...now, "--dry-run")).toMatchObject({ stdout: "Would remove 1 unused file.\n" });
    expect(storedIn("")).toHaveLength(8);
    expect(JSON.parse((await run("", ...now, "--json")).stdout)).toEqual({ removed: 1, waiting: 0, unknown: 1 });
    expect(storedIn("")).toHaveLength(7);
    expect(storedIn("")).toContain(unknown);
  });

  test.each([
    [["list", "--state", "done"], 'The state must be complete, uploading or unused, not "done".'],
    [["collect", "--older-than", "soon"], '--older-than must be a duration such as 12h or 7d, not "soon".'],
  ])("refuse %j", async (args, words) => {
    expect(await run("", "file", ...args)).toEqual({ code: 1, stdout: "", stderr: `error: ${words}\n` });
  });
});
