import { createHash, randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { jest } from "@jest/globals";
import { type RealPostgres, type ScratchDatabase, startRealPostgres } from "@sallyport/test-kit/databases/postgres";
import { isFullRun } from "@sallyport/test-kit/scope";
import { copyEmbeddedDemo } from "../copy-embedded-demo.ts";
import { runCommand, runOperator } from "./run-command.ts";
import type { Ended } from "./server-process.ts";

/** Commands for archives. */
describe("archive commands", () => {
  jest.setTimeout(300_000);

  let folder: string;
  let postgres: RealPostgres;
  let scratch: ScratchDatabase;
  /** An archive of the demo, made once. */
  let archive: string;

  const withoutBytes =
    "warning: The archive omits the bytes of 3 files. Dump with --files, or copy the file store after the dump.\n";
  const sealing = randomBytes(32).toString("base64");

  /** Runs a command on the database with this alias. */
  function run(
    alias: string,
    args: readonly string[],
    { masterKey, input }: { masterKey?: string; input?: string } = {},
  ): Promise<Ended> {
    const environment = {
      SALLYPORT_CONFIG: join(folder, "configuration.json"),
      ...(masterKey === undefined ? {} : { MASTER_KEY: masterKey }),
    };
    return args[0] === "user" || args[1] === "rotate"
      ? runOperator(["--alias", alias, ...args], environment, folder, input)
      : runCommand([...args, "--alias", alias], environment, folder, input);
  }

  /** The part that must be equal: everything after the header. */
  const contents = (bytes: Buffer | string) =>
    createHash("sha256").update(bytes.toString().split("\n").slice(2).join("\n")).digest("hex");

  /** A configuration for a command, with databases by their aliases. */
  async function configure(name: string, storages: Readonly<Record<string, object>>): Promise<string> {
    const file = join(folder, name);
    const databases = Object.entries(storages).map(([alias, storage]) => ({
      alias,
      name: alias,
      storage: { migrateOnStart: true, ...storage },
    }));
    await writeFile(file, JSON.stringify({ databases }));
    return file;
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "sallyport-archives-"));
    postgres = await startRealPostgres();
    scratch = await postgres.createDatabase();
    const onPostgres = Object.fromEntries(
      ["demo", "copy", "bare", "other", "none", "target", "moved"].map((alias) => [alias, { url: scratch.url }]),
    );
    const [full, fresh] = ["full", "fresh"].map((name) => ({
      engine: "embedded",
      schema: "sallyport_demo",
      dataDir: join(folder, name),
    }));
    await configure("configuration.json", { ...onPostgres, full: full as object, fresh: fresh as object });
    archive = join(folder, "demo.ndjson");
    for (const args of [["seed"], ["key", "rotate", "jwt"], ["dump", "--output", archive]]) {
      const { code, stderr } = await run("demo", args, { masterKey: sealing });
      if (code !== 0) throw new Error(stderr);
    }
  });
  afterAll(async () => {
    await scratch.drop();
    await postgres.stop();
    await rm(folder, { recursive: true });
  });

  test("a dump is restored, and a new dump equals it", async () => {
    expect((await stat(archive)).mode & 0o777).toBe(0o600);
    const [first = ""] = (await readFile(archive, "utf8")).split("\n", 1);
    expect(JSON.parse(first)).toMatchObject({ sallyport: "archive", format: 4, without: [] });

    const restored = await run("copy", ["restore", "--input", archive], { masterKey: sealing });
    expect(restored).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Restored 1,221 objects of the database ".*" as of 20\d\d-.*Z\.\n$/),
    });
    expect(restored.stderr).toBe("");
    expect(await run("copy", ["user", "list"])).toMatchObject({ code: 0, stdout: expect.stringContaining("demo") });

    const again = join(folder, "again.ndjson.gz");
    expect(await run("copy", ["dump", "-o", again])).toEqual({
      code: 0,
      stdout: `Dumped 1,221 objects into ${again}.\n`,
      stderr: withoutBytes,
    });
    expect(contents(gunzipSync(await readFile(again)))).toBe(contents(await readFile(archive)));
    expect((await readdir(folder)).filter((name) => name.endsWith(".partial"))).toEqual([]);

    const refused = await run("copy", ["restore", "-i", again], { masterKey: sealing });
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: The database "copy" is not empty\. .* Nothing was changed\.\n$/m),
    });
    expect(await run("copy", ["dump", "-o", again])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`The file ${again} already exists. Nothing was written.`),
    });
  });

  test("archives pass through pipes, without excluded parts", async () => {
    const whole = await run("demo", ["dump", "-o", "-"]);
    expect(whole).toMatchObject({ code: 0, stderr: `${withoutBytes}Dumped 1,221 objects.\n` });
    expect(contents(whole.stdout)).toBe(contents(await readFile(archive)));
    const bare = await run("demo", ["dump", "-o", "-", "--no-credentials", "--no-keys"]);
    expect(whole.stdout).toMatch(/"secret": "\$argon2id.*"wrappedPrivateKey"/s);
    expect(bare.stdout).not.toMatch(/"secret":|"wrappedPrivateKey":|"digest":/);
    const restored = await run("bare", ["restore", "-i", "-"], { input: bare.stdout });
    expect(restored).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/note: The archive contains no credentials/),
    });
    expect(await run("bare", ["user", "list"])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("There are no users."),
    });
    // The names of the user objects are reserved, though none of them has an account.
    const create = await run("bare", ["user", "create", "DEMO"], { input: "correct horse battery staple 1\n" });
    expect(create).toMatchObject({ code: 1, stderr: expect.stringContaining("too similar to one in use") });
  });

  test("another master key is reported, with the way to proceed", async () => {
    const other = await run("other", ["restore", "-i", archive], { masterKey: randomBytes(32).toString("base64") });
    expect(other).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(
        /note: Another master key encrypted the jwt key of the archive\..*key rotate jwt --master-key-lost/,
      ),
    });
    const none = await run("none", ["restore", "-i", archive]);
    expect(none).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/note: The archive contains server keys, which need their master key/),
    });
  });

  test("a damaged archive leaves the database empty, and a complete one can follow", async () => {
    const text = await readFile(archive, "utf8");
    const damaged = join(folder, "damaged.ndjson");
    await writeFile(damaged, text.replace('"version": 1', '"version": 7'));
    expect(await run("target", ["restore", "-i", damaged])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /error: The archive .*damaged\.ndjson cannot be restored\. Line [\d,]+: the checksum does not match\. .* Nothing was changed\.\n$/,
      ),
    });
    await writeFile(damaged, text.slice(0, -100));
    expect(await run("target", ["restore", "-i", damaged])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/Line [\d,]+: the archive is truncated in this line\. Nothing was changed\.\n$/),
    });
    await writeFile(`${damaged}.gz`, gzipSync(text).subarray(0, 5_000));
    expect(await run("target", ["restore", "-i", `${damaged}.gz`])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/its compressed data is damaged or truncated\. Nothing was changed\.\n$/),
    });
    expect(await run("target", ["restore", "-i", join(folder, "nowhere")])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/The file .*nowhere cannot be used: ENOENT/),
    });
    expect(await run("target", ["restore", "-i", archive], { masterKey: sealing })).toMatchObject({ code: 0 });
  });

  // The short run moves archives through every storage in `archives.test.ts`.
  if (isFullRun) {
    test("a database moves from one embedded engine to another, through a Postgres", async () => {
      await mkdir(join(folder, "full"));
      await copyEmbeddedDemo(join(folder, "full"));
      const [first, second, third] = ["first", "second", "third"].map((name) => join(folder, `${name}.ndjson`)) as [
        string,
        string,
        string,
      ];
      for (const [alias, args] of [
        ["full", ["dump", "-o", first]],
        ["moved", ["restore", "-i", first]],
        ["moved", ["dump", "-o", second]],
        ["fresh", ["restore", "-i", second]],
        ["fresh", ["dump", "-o", third]],
      ] as const) {
        expect(await run(alias, args)).toMatchObject({ code: 0 });
      }
      const [one, ...others] = await Promise.all(
        [first, second, third].map(async (file) => contents(await readFile(file))),
      );
      expect(others).toEqual([one, one]);
    });
  }

  test.each([
    ["without an output file", ["dump"], /required option '-o, --output <file>' not specified/],
    ["without an input file", ["restore"], /required option '-i, --input <file>' not specified/],
    [
      "into a missing folder",
      ["dump", "-o", "missing/archive.ndjson"],
      /The file missing\/archive\.ndjson cannot be used: ENOENT/,
    ],
  ])("a command does nothing %s", async (_title, args, words) => {
    expect(await run("demo", args)).toMatchObject({ code: 1, stdout: "", stderr: expect.stringMatching(words) });
  });
});
