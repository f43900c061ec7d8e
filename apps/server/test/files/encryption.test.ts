import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ClientSession } from "@sallyport/client";
import pino from "pino";
import { loadConfiguration, startServer } from "../../src/index.ts";
import { type FileAnswer, form, formType, octets, type Sender, senderOf, sha256 } from "./file-sender.ts";
import { openSession } from "../open-session.ts";
import { appKey } from "../subject.ts";
import { testEnvironment, tuningOf } from "../test-environment.ts";
import { onEngines } from "../engines.ts";
import { testedModes } from "../modes.ts";
import { fileEnvironment, encryptingEngines, filesDirectory } from "./on-file-servers.ts";
import { openPostgresFixture } from "../postgres-fixture.ts";

/** The paths of a file's segments in the directory of files. The tag of a download is the name of the file. */
function segmentsOf({ headers }: FileAnswer, directory: string): string[] {
  const file = JSON.parse(headers.get("etag") ?? "") as string;
  const folder = join(directory, "_default", file.slice(0, 2), file);
  return readdirSync(folder).map((name) => join(folder, name));
}

/** Changes one byte of a file on disk. */
function damage(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  writeFileSync(path, bytes);
}

/** The rules of a server that encrypts files, in one mode. */
onEngines(
  "encrypted files",
  (server) => {
    describe.each(testedModes)("in mode %s", (mode) => {
      let session: ClientSession;
      beforeAll(async () => {
        session = await openSession(server(), mode, "admin");
      });
      const send = senderOf(server, () => session);
      const content = Buffer.from(randomBytes(450_000).toString("hex"));
      const stored = async () => {
        const { data } = await send("POST", "/v1/uploadFile", form(content), formType);
        return `/v1/file/${data["~ObjectID"]}`;
      };

      test("the disk has no byte of the content", async () => {
        const { uploadId } = (await send("GET", "/v1/uploadFile")).data;
        for (const [first, last] of [
          [600_000, 899_999],
          [0, 299_999],
          [300_000, 599_999],
          [0, 299_999],
        ] as const) {
          const range = { ...octets, "content-range": `bytes ${first}-${last}/${content.length}` };
          expect(
            (await send("PATCH", `/v1/uploadFile/${uploadId}`, content.subarray(first, last + 1), range)).code,
          ).toBe("0");
        }
        const { data } = await send("PATCH", `/v1/uploadFile/${uploadId}`);
        expect(data).toMatchObject({ Size: content.length, Sha256: sha256(content) });
        const downloads = [await send("GET", `/v1/file/${data["~ObjectID"]}`), await send("GET", await stored())];
        expect(downloads.map(({ bytes }) => bytes.equals(content))).toEqual([true, true]);
        const paths = downloads.flatMap((each) => segmentsOf(each, filesDirectory));
        expect(paths).toHaveLength(4);
        for (const path of paths) {
          const bytes = readFileSync(path);
          for (let at = 0; at < content.length; at += 1_000)
            expect(bytes.includes(content.subarray(at, at + 8))).toBe(false);
        }
      });

      test.each<[string, (path: string) => void]>([
        ["a changed byte", (path) => damage(path, 10)],
        ["a missing end", (path) => writeFileSync(path, readFileSync(path).subarray(0, -262_160))],
        ["an added byte", (path) => writeFileSync(path, "a", { flag: "a" })],
        ["no bytes", (path) => writeFileSync(path, "")],
        ["plain bytes", (path) => writeFileSync(path, content)],
      ])("with %s on disk, a download fails without a byte", async (_what, change) => {
        const path = await stored();
        const [segment = ""] = segmentsOf(await send("GET", path), filesDirectory);
        change(segment);
        const answer = await send("GET", path);
        expect([answer.status, answer.code]).toEqual([500, "708"]);
        expect(answer.headers.get("content-disposition")).toBeNull();
      });

      test("a download breaks off at a damaged frame, and ranges beside it are sent", async () => {
        const path = await stored();
        const [segment = ""] = segmentsOf(await send("GET", path), filesDirectory);
        damage(segment, 2 * 262_144 + 1);
        const frame = 262_128;
        const received: Buffer[] = [];
        const { headers } = await session.seal({ headers: { appkey: appKey }, body: undefined });
        const { body } = await fetch(server().url + path, { headers });
        const reading = async () => {
          for await (const bytes of body ?? []) received.push(Buffer.from(bytes));
        };
        await expect(reading()).rejects.toThrow(/terminated|failed/);
        const bytes = Buffer.concat(received);
        expect(bytes.length).toBeLessThanOrEqual(2 * frame);
        if (mode !== "secure") expect(bytes.equals(content.subarray(0, bytes.length))).toBe(true);
        const beside = await send("GET", path, undefined, { range: `bytes=${3 * frame}-` });
        expect([beside.status, beside.bytes.equals(content.subarray(3 * frame))]).toEqual([206, true]);
        const inside = await send("GET", path, undefined, { range: `bytes=${2 * frame}-${2 * frame}` });
        expect([inside.status, inside.code]).toEqual([500, "708"]);
      });
    });
  },
  { environment: { ...fileEnvironment, FILES_ENCRYPT: "true" }, on: encryptingEngines },
);

/** Servers on one database, one after the other. */
test("encryption can be switched, and needs the master key under which a file was written", async () => {
  const directory = mkdtempSync(join(tmpdir(), "sallyport-"));
  const postgres = await openPostgresFixture();
  const lines: string[] = [];
  const withServer = async (key: number, encrypt: boolean, work: (send: Sender) => Promise<void>) => {
    const environment = {
      ...testEnvironment,
      DATA_DIR: directory,
      DATABASE_URL: postgres.url,
      FILES_DIRECTORY: join(directory, "files"),
      MASTER_KEY: Buffer.alloc(32, key).toString("base64"),
      FILES_ENCRYPT: `${encrypt}`,
    };
    const logger = pino({ level: "error" }, { write: (line: string) => void lines.push(line) });
    const server = await startServer(
      loadConfiguration({ environment }),
      logger,
      undefined,
      undefined,
      tuningOf(environment),
    );
    const session = await openSession(server, "session", "admin");
    await work(
      senderOf(
        () => server,
        () => session,
      ),
    ).finally(() => server.close());
  };
  const content = Buffer.from("Only the user reads these data.");
  const isPlain = (answer: FileAnswer) =>
    segmentsOf(answer, join(directory, "files")).map((path) => content.includes(readFileSync(path)));
  const chunk = (first: number, last: number) => ({ ...octets, "content-range": `bytes ${first}-${last}/31` });
  const paths: string[] = [];
  const uploads: string[] = [];
  await withServer(7, true, async (send) => {
    const { data } = await send("POST", "/v1/uploadFile", form(content), formType);
    paths.push(`/v1/file/${data["~ObjectID"]}`);
    for (const _ of [0, 1]) {
      const path = `/v1/uploadFile/${(await send("GET", "/v1/uploadFile")).data.uploadId}`;
      await send("PATCH", path, content.subarray(0, 20), chunk(0, 19));
      uploads.push(path);
    }
  });
  await withServer(7, false, async (send) => {
    await send("PATCH", uploads[0] as string, content.subarray(20), chunk(20, 30));
    const { data } = await send("PATCH", uploads[0] as string);
    const plain = await send("POST", "/v1/uploadFile", form(content), formType);
    paths.push(`/v1/file/${data["~ObjectID"]}`, `/v1/file/${plain.data["~ObjectID"]}`);
    const answers = [];
    for (const path of paths) answers.push(await send("GET", path));
    expect(answers.map(({ bytes }) => bytes.toString())).toEqual(Array(3).fill(content.toString()));
    expect(answers.map(isPlain)).toEqual([[false], [false, false], [true]]);
  });
  expect(lines).toEqual([]);
  await withServer(8, true, async (send) => {
    const codes = [];
    for (const path of paths) codes.push((await send("GET", path)).status);
    expect(codes).toEqual([500, 500, 200]);
    expect((await send("GET", paths[0] as string)).code).toBe("708");
    expect((await send("PATCH", uploads[1] as string, content.subarray(20), chunk(20, 30))).code).toBe("708");
  });
  expect(lines.join("")).toMatch(/the key of file [0-9a-f]{32} was wrapped by a master key that is not configured/);
  await postgres.close();
  rmSync(directory, { recursive: true });
}, 60_000);
