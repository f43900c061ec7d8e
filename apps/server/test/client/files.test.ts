import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  createReadStream,
  createWriteStream,
  mkdtempSync,
  openAsBlob,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type LogInMode, type LogInOptions, SallyportClient, versionOf } from "@sallyport/client";
import { download, type FileSource, upload } from "@sallyport/client/files";
import { storedKeyPair } from "@sallyport/test-kit/crypto/stored-key-pair";
import { isFullRun } from "@sallyport/test-kit/scope";
import fc from "fast-check";
import { CuttingProxy } from "./cutting-proxy.ts";
import { chromium, HeadlessBrowser } from "../pages/headless-browser.ts";
import { modes } from "../modes.ts";
import { onEngines, withoutLockout } from "../engines.ts";

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const kibi = 1024;
const admin = { user: "admin", password: "admin", appNames: ["demo-app"] };

async function collect(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function* generated(bytes: Uint8Array, length = 10_007): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

/** Transfers of files by the client, through a relay that breaks connections. */
onEngines(
  "files of the client",
  (server) => {
    const folder = mkdtempSync(join(tmpdir(), "sallyport-client-files-"));
    let proxy: CuttingProxy;
    let userId: string;
    beforeAll(async () => {
      proxy = await CuttingProxy.open(server().url);
    });
    afterAll(async () => {
      await proxy.close();
      rmSync(folder, { recursive: true });
    });

    const loggedIn = async (mode: LogInMode): Promise<SallyportClient> => {
      const client = new SallyportClient({ baseUrl: proxy.url, appKey: "demo-app-key" });
      const keys = mode === "secure" || mode === "encrypted" ? { keyPair: await storedKeyPair() } : {};
      const result = await client.logIn({ ...admin, mode, ...keys } as LogInOptions);
      userId = result.user["~ObjectID"];
      return client;
    };
    const endSessions = async () => {
      await server().databases.get("")?.storage.repositories.sessions.end({ userId });
    };

    const sources: readonly (readonly [string, (bytes: Buffer) => FileSource | Promise<FileSource>])[] = [
      ["a Buffer", (bytes) => bytes],
      ["a Blob", (bytes) => new Blob([new Uint8Array(bytes)], { type: "text/csv" })],
      ["a File", (bytes) => new File([new Uint8Array(bytes)], "own.bin")],
      [
        "a Blob on disk",
        (bytes) => {
          writeFileSync(join(folder, "blob"), bytes);
          return openAsBlob(join(folder, "blob"));
        },
      ],
      [
        "a stream of Node",
        (bytes) => {
          writeFileSync(join(folder, "stream"), bytes);
          return createReadStream(join(folder, "stream"));
        },
      ],
      ["a web stream", (bytes) => new Blob([new Uint8Array(bytes)]).stream()],
      ["an async generator", (bytes) => generated(bytes)],
    ];

    // The transfer is the same in all modes, but for the encryption of secure mode.
    describe.each(isFullRun ? modes : (["session", "secure"] as const))("in mode %s", (mode) => {
      let client: SallyportClient;
      beforeAll(async () => {
        client = await loggedIn(mode);
      });

      test.each(sources)("transfers %s", async (_title, open) => {
        const bytes = randomBytes(300 * kibi + 13);
        const acknowledged: number[] = [];
        const source = await open(bytes);
        const stored = await upload(client, source, {
          name: 'größe "1".csv',
          mediaType: "text/csv",
          chunkSize: 100 * kibi,
          onProgress: (progress) => acknowledged.push(progress.acknowledged),
        });
        expect(stored).toMatchObject({
          "~ClassName": "File",
          Name: 'größe "1".csv',
          Size: bytes.length,
          MediaType: "text/csv",
          Sha256: sha256(bytes),
        });
        expect(versionOf(stored)).toBe('"1"');
        expect(acknowledged).toEqual([100 * kibi, 200 * kibi, 300 * kibi, bytes.length]);
        const received = await download(client, stored["~UUID"]);
        expect(received).toMatchObject({ name: stored.Name, mediaType: "text/csv", size: bytes.length });
        expect(received.sha256).toBe(sha256(await collect(received)));
      });

      test("resumes over connections that break anywhere", async () => {
        const cuts = fc.array(fc.integer({ min: 1, max: 250 * kibi }), { maxLength: 4 });
        await fc.assert(
          fc.asyncProperty(cuts, cuts, async (uploadCuts, downloadCuts) => {
            const bytes = randomBytes(200 * kibi);
            await proxy.cut();
            proxy.plan = [...uploadCuts];
            const stored = await upload(client, generated(bytes), { name: "cut.bin", chunkSize: 64 * kibi });
            expect(stored.Sha256).toBe(sha256(bytes));
            await proxy.cut();
            proxy.plan = [...downloadCuts];
            const received = await collect(await download(client, stored["~ObjectID"], { range: { first: 5 } }));
            expect(sha256(received)).toBe(sha256(bytes.subarray(5)));
          }),
          { seed: 23, numRuns: isFullRun ? 50 : 3, endOnFailure: true },
        );
        proxy.plan = [];
        await proxy.cut();
      }, 600_000);

      test("goes on after its session has ended", async () => {
        const own = await loggedIn(mode);
        const bytes = randomBytes(150 * kibi);
        const pieces = async function* () {
          yield bytes.subarray(0, 100 * kibi);
          await endSessions();
          yield bytes.subarray(100 * kibi);
        };
        const stored = await upload(own, pieces(), { name: "late.bin", chunkSize: 50 * kibi });
        expect(stored.Sha256).toBe(sha256(bytes));
        const received: Uint8Array[] = [];
        for await (const piece of await download(own, stored["~ObjectID"])) {
          if (received.length === 0) {
            await endSessions();
            await proxy.cut();
          }
          received.push(piece);
        }
        expect(sha256(Buffer.concat(received))).toBe(stored.Sha256);
        // A download whose bytes had all arrived has not met the end of its connection.
        await proxy.cut();
        client = await loggedIn(mode);
      });
    });

    describe("a client", () => {
      let client: SallyportClient;
      beforeEach(async () => {
        client = await loggedIn("session");
      });
      const bytes = randomBytes(300 * kibi);
      const blob = new Blob([new Uint8Array(bytes)]);
      const state = async (id: string) => client.request<{ size: number }>({ path: `/v1/uploadFile/${id}` });
      const named = async (name: string) => client.countObjects("File", { query: { where: { Name: name } } });
      /** A client whose connection breaks after the server has executed a request, once. */
      const losing = async (isLost: (url: string, init: RequestInit) => boolean) => {
        let left = 1;
        const lossy = new SallyportClient({
          baseUrl: server().url,
          appKey: "demo-app-key",
          fetch: async (url, init = {}) => {
            const answer = await fetch(url, init);
            if (left === 0 || !isLost(String(url), init)) return answer;
            left -= 1;
            throw new TypeError("lost");
          },
        });
        await lossy.logIn({ ...admin, mode: "session" });
        return lossy;
      };
      const isFinish = (_url: string, { method, body }: RequestInit) => method === "PATCH" && body === undefined;
      /** Begins an upload, and stops after the first chunk. */
      const stopped = async (options: { keep: boolean; chunkSize?: number }) => {
        const stop = new AbortController();
        let id = "";
        const failed = upload(client, blob, {
          name: "stopped.bin",
          chunkSize: 100 * kibi,
          signal: stop.signal,
          onBegin: (uploadId) => (id = uploadId),
          onProgress: () => stop.abort(new Error("stopped")),
          ...options,
        });
        await expect(failed).rejects.toThrow("stopped");
        return id;
      };

      test("continues the upload of another one", async () => {
        const uploadId = await stopped({ keep: true });
        expect((await state(uploadId)).data.size).toBe(100 * kibi);
        const other = await loggedIn("secure");
        const progress: unknown[] = [];
        const options = { name: "stopped.bin", uploadId, onProgress: (each: unknown) => progress.push(each) };
        expect((await upload(other, blob, options)).Sha256).toBe(sha256(bytes));
        expect(progress).toEqual([
          { acknowledged: 100 * kibi, total: bytes.length },
          { acknowledged: bytes.length, total: bytes.length },
        ]);
      });

      test("continues an upload with gaps, and from a stream", async () => {
        const { uploadId } = (await client.request<{ uploadId: string }>({ path: "/v1/uploadFile" })).data;
        const part = { method: "PATCH", path: `/v1/uploadFile/${uploadId}` } as const;
        const headers = { "content-range": `bytes 1000-1999/${bytes.length}` };
        await client.request({ ...part, headers, body: bytes.subarray(1000, 2000) });
        const stored = await upload(client, generated(bytes), { name: "gaps.bin", uploadId, size: bytes.length });
        expect(stored).toMatchObject({ Name: "gaps.bin", Sha256: sha256(bytes) });
      });

      test("names a file whose bytes another process has sent", async () => {
        const uploadId = await stopped({ keep: true, chunkSize: bytes.length });
        const stored = await upload(client, blob, { name: "renamed.txt", mediaType: "text/plain", uploadId });
        expect(stored).toMatchObject({ Name: "renamed.txt", MediaType: "text/plain", Size: bytes.length });
      });

      test("cancels an aborted upload, whose stream it closes", async () => {
        await expect(state(await stopped({ keep: false }))).rejects.toMatchObject({ code: 603 });
        const stop = new AbortController();
        const stalled = new PassThrough();
        const failed = upload(client, stalled, { name: "a.bin", signal: stop.signal, onBegin: () => stop.abort() });
        await expect(failed).rejects.toMatchObject({ name: "AbortError" });
        expect(stalled.destroyed).toBe(true);
      });

      test("finds the object if the response to the end of an upload is lost", async () => {
        const name = randomBytes(8).toString("hex");
        const stored = await upload(await losing(isFinish), blob, { name });
        expect([stored.Name, await named(name)]).toEqual([name, 1]);
        const replaced = await upload(await losing(isFinish), blob, { name, replace: stored["~ObjectID"] });
        expect([replaced["~ObjectID"], versionOf(replaced)]).toEqual([stored["~ObjectID"], '"2"']);
        let uploadId = "";
        const onBegin = (id: string) => (uploadId = id);
        const failed = upload(await losing(isFinish), blob, { name, onBegin, retries: 0 });
        await expect(failed).rejects.toMatchObject({ reason: "unreachable" });
        expect((await upload(client, blob, { name, uploadId })).Name).toBe(name);
        expect(await named(name)).toBe(2);
      });

      test("replaces the bytes of the version that it read", async () => {
        const first = await upload(client, Buffer.from("first"), { name: "a.txt" });
        const replace = first["~UUID"];
        const second = await upload(client, Buffer.from("second"), { name: "b.txt", replace, ifMatch: first });
        expect(second).toMatchObject({ "~ObjectID": first["~ObjectID"], Name: "b.txt", Size: 6 });
        const third = upload(client, Buffer.from("third"), { name: "c.txt", replace, ifMatch: first });
        await expect(third).rejects.toMatchObject({ code: 713 });
      });

      test.each<[string, FileSource, object, object]>([
        ["without bytes", Buffer.alloc(0), {}, { code: 604 }],
        ["with a separator in its name", Buffer.from("a"), { name: "a/b" }, { code: 502 }],
        ["with an id that is none", Buffer.from("a"), { uploadId: "a" }, { code: 602 }],
        ["that is unknown", Buffer.from("a"), { uploadId: "00000000-0000-4000-8000-000000000000" }, { code: 603 }],
        ["of another length", generated(bytes), { size: bytes.length + 1 }, { code: 600 }],
        ["without a name", Buffer.from("a"), { name: undefined }, { name: "TypeError" }],
        ["with a line break in its type", Buffer.from("a"), { mediaType: "a/b\r\nc: d" }, { name: "TypeError" }],
        ["of texts", Readable.from(["text"]) as never, {}, { name: "TypeError" }],
        ["that is not a source", 5 as never, {}, { name: "TypeError" }],
        ["in chunks of no bytes", Buffer.from("a"), { chunkSize: 0 }, { name: "RangeError" }],
        ["with another digest", Buffer.from("a"), { sha256: "00" }, { reason: "damaged" }],
      ])("refuses a file %s", async (_title, source, options, error) => {
        let id: string | undefined;
        const onBegin = (uploadId: string) => (id = uploadId);
        await expect(upload(client, source, { name: "a.bin", onBegin, ...options })).rejects.toMatchObject(error);
        if (id !== undefined) await expect(state(id)).rejects.toMatchObject({ code: 603 });
      });

      test("waits for a busy server, and gives up after the last attempt", async () => {
        let refusals = 2;
        const busy = new SallyportClient({
          baseUrl: server().url,
          appKey: "demo-app-key",
          fetch: async (url, init) => {
            if (!String(url).includes("uploadFile") || refusals-- <= 0) return fetch(url, init);
            const status = { internalStatus: "706", statusMessage: "busy" };
            return new Response(JSON.stringify({ status }), { status: 503 });
          },
        });
        await busy.logIn({ ...admin, mode: "session" });
        await expect(upload(busy, blob, { name: "busy.bin" })).resolves.toMatchObject({ Size: bytes.length });
        refusals = 2;
        const failed = upload(busy, blob, { name: "busy.bin", retries: 1 });
        await expect(failed).rejects.toMatchObject({ code: 706, name: "SallyportError" });
      });

      test("downloads a range, and nothing that it has", async () => {
        const { "~ObjectID": id } = await upload(client, blob, { name: "range.bin" });
        const part = await download(client, id, { range: { first: 10, last: 19 } });
        expect([part.size, part.range]).toEqual([bytes.length, { first: 10, last: 19 }]);
        expect((await collect(part)).equals(bytes.subarray(10, 20))).toBe(true);
        expect(await download(client, id, { ifNoneMatch: part.etag })).toBeUndefined();
        await pipeline(await download(client, id), createWriteStream(join(folder, "received")));
        expect(readFileSync(join(folder, "received")).equals(bytes)).toBe(true);
        const other = await download(client, id, { ifNoneMatch: '"other"' });
        expect(Buffer.from(await new Response(other?.stream).arrayBuffer()).equals(bytes)).toBe(true);
        await expect(download(client, id, { range: { first: bytes.length } })).rejects.toMatchObject({ code: 600 });
        await expect(download(client, "ZZZZZZ")).rejects.toMatchObject({ code: 304 });
      });

      test("ends a download that is cancelled, aborted, or whose file changes", async () => {
        const large = randomBytes(8 * kibi * kibi);
        const { "~ObjectID": id } = await upload(client, large, { name: "large.bin" });
        await (await download(client, id)).stream.cancel();
        for await (const piece of await download(client, id)) if (piece.length > 0) break;
        const stop = new AbortController();
        const aborted = await download(client, id, { signal: stop.signal });
        const reading = (async () => {
          for await (const piece of aborted) stop.abort(new Error(`after ${piece.length > 0}`));
        })();
        await expect(reading).rejects.toThrow("after true");
        const changing = await download(client, id);
        const changed = (async () => {
          for await (const piece of changing) {
            if (piece.length === 0) continue;
            await upload(client, Buffer.from("new"), { name: "large.bin", replace: id });
            await proxy.cut();
          }
        })();
        await expect(changed).rejects.toMatchObject({ name: "TransportError", reason: "changed" });
      });
    });

    if (chromium === undefined)
      test("in a browser requires Chromium, which this machine lacks", () => expect(chromium).toBeUndefined());
    else {
      test("transfers a file in a browser, with the import map of the guide", async () => {
        const guide = readFileSync(new URL("../../../../docs/guides/client.md", import.meta.url), "utf8");
        const [map = ""] = /<script type="importmap">.*?<\/script>/s.exec(guide) ?? [];
        const pages = createServer(({ url = "/" }, response) => {
          const isModule = url.startsWith("/modules/client/");
          response.setHeader("content-type", isModule ? "text/javascript" : "text/html; charset=utf-8");
          response.end(
            isModule
              ? readFileSync(new URL(`../../../../packages/client/dist/package/${url.slice(16)}`, import.meta.url))
              : map,
          );
        }).listen(0, "127.0.0.1");
        await once(pages, "listening");
        const origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
        const appKeys = server().databases.get("")?.storage.repositories.appKeys;
        const digest = createHash("sha256").update("key of the page").digest("hex");
        await appKeys?.create({ name: "page", appNames: ["demo-app"], origins: [origin] }, digest);
        const browser = new HeadlessBrowser(chromium as string);
        try {
          for (const mode of modes) {
            const seen = JSON.parse(String(await browser.evaluate(origin, inPage(proxy.url, mode))));
            expect(seen).toMatchObject({ name: "zoë.bin", size: 300_000 });
            expect(seen.digests).toEqual([seen.own, seen.own, seen.own]);
          }
        } finally {
          await browser.close();
          pages.close();
        }
      }, 60_000);
    }
  },
  { environment: withoutLockout, on: ["memory"] },
);

/** Uploads and downloads a file in a page. Returns the names and digests as JSON. */
function inPage(baseUrl: string, mode: LogInMode): string {
  return `(async () => {
    const { SallyportClient } = await import("@sallyport/client");
    const { download, upload } = await import("@sallyport/client/files");
    const client = new SallyportClient({ baseUrl: ${JSON.stringify(baseUrl)}, appKey: "key of the page" });
    await client.logIn({ ...${JSON.stringify(admin)}, mode: ${JSON.stringify(mode)} });
    const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => index * index + index / 7);
    const hex = async (data) => Array.from(new Uint8Array(await crypto.subtle.digest("SHA-256", data)), (byte) => byte.toString(16).padStart(2, "0")).join("");
    const stored = await upload(client, new File([bytes], "zoë.bin"), { chunkSize: 100_000 });
    const received = await download(client, stored["~ObjectID"]);
    const sha256 = await hex(await new Response(received.stream).arrayBuffer());
    return JSON.stringify({ name: received.name, size: received.size, digests: [stored.Sha256, received.sha256, sha256], own: await hex(bytes) });
  })()`;
}
