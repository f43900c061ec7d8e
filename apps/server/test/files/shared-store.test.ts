import { randomBytes } from "node:crypto";
import type { Database } from "@sallyport/core";
import type { RunningServer } from "../../src/index.ts";
import { type DemoOfSuite, onEngines, useDemo } from "../engines.ts";
import { form, formType, md5, octets, type Sender, senderOf, sha256 } from "./file-sender.ts";
import { openSession } from "../open-session.ts";
import { filesDirectory, inBucket } from "./on-file-servers.ts";
import { hasObjectStorage, TestBucket } from "@sallyport/test-kit/files/test-bucket";

/** Servers of one database and one store. */
function sharedFilesSuite(_server: () => RunningServer, { servers }: DemoOfSuite): void {
  test("two servers take chunks of one upload in turns", async () => {
    const session = await openSession(servers()[0] as RunningServer, "session", "admin");
    const [one, other] = servers().map((server) =>
      senderOf(
        () => server,
        () => session,
      ),
    ) as [Sender, Sender];
    const bytes = randomBytes(600_000);
    const path = `/v1/uploadFile/${(await one("GET", "/v1/uploadFile")).data.uploadId}`;
    for (let first = 0; first < bytes.length; first += 100_000) {
      const [chunk, last] = [bytes.subarray(first, first + 100_000), first + 99_999];
      const send = first % 200_000 === 0 ? one : other;
      const range = `bytes ${first}-${last}/${bytes.length}`;
      const { data } = await send("PATCH", path, chunk, { ...octets, "content-range": range });
      expect(data).toMatchObject({ size: last + 1, hash: md5(bytes.subarray(0, last + 1)) });
    }
    const { data, code } = await other("PATCH", path);
    expect(code).toBe("0");
    expect(data).toMatchObject({ Size: bytes.length, Sha256: sha256(bytes) });
    expect((await one("GET", `/v1/file/${data["~ObjectID"]}`)).bytes.equals(bytes)).toBe(true);
  });

  test("parallel uploads of any form do not exceed the quota together", async () => {
    const session = await openSession(servers()[0] as RunningServer, "session", "admin");
    const senders = servers().map((server) =>
      senderOf(
        () => server,
        () => session,
      ),
    );
    const databases = servers().map((server) => server.databases.get("") as Database);
    const { records } = (databases[0] as Database).storage.repositories;
    const stored = async () =>
      (await records.list<number>("storedBytes", { after: null, limit: 20 })).reduce(
        (sum, { value }) => sum + value,
        0,
      );
    const segments = async () => (await records.count("segment")).count;
    const uploads = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const send = senders[index % senders.length] as Sender;
        return { send, path: `/v1/uploadFile/${(await send("GET", "/v1/uploadFile")).data.uploadId}` };
      }),
    );
    const [size, before] = [100_000, { bytes: await stored(), segments: await segments() }];
    const bytes = randomBytes(size);
    const chunk = { ...octets, "content-range": `bytes 0-${size - 1}/${size}` };
    const [{ policy }] = databases as [Database];
    const limited = { ...policy, files: { ...policy.files, maxBytes: before.bytes + 3 * size } };
    for (const database of databases) Object.assign(database, { policy: limited });
    try {
      const answers = await Promise.all(
        uploads.map(({ send, path }, index) => {
          if (index % 3 === 0) return send("POST", "/v1/uploadFile", form(bytes), formType);
          return index % 3 === 1 ? send("POST", path, form(bytes), formType) : send("PATCH", path, bytes, chunk);
        }),
      );
      const codes = answers.map(({ code }) => code).toSorted();
      expect(codes).toEqual([...Array(3).fill("0"), ...Array(17).fill("702")]);
      expect({ bytes: (await stored()) - before.bytes, segments: (await segments()) - before.segments }).toEqual({
        bytes: 3 * size,
        segments: 3,
      });
    } finally {
      for (const database of databases) Object.assign(database, { policy });
    }
  });
}

onEngines("files of two servers in one store", sharedFilesSuite, {
  environment: { FILES_DIRECTORY: filesDirectory },
  count: 2,
});

if (hasObjectStorage) {
  const [bucket, lost] = [await TestBucket.create(), await TestBucket.create()];
  afterAll(() => bucket.remove());

  describe("files in object storage", () => {
    onEngines("files in one bucket", sharedFilesSuite, { environment: inBucket(bucket), on: ["Postgres"], count: 2 });

    test("all objects are below the prefix and the folder of the database", async () => {
      const keys = await bucket.keys();
      expect(keys.length).toBeGreaterThan(5);
      const isExpected = /^sallyport\/(?:_default|second)\/[0-9a-f]{32}\/(?:created|[0-9a-f]{32})$/;
      expect(keys.filter((key) => !isExpected.test(key))).toEqual([]);
      expect(await bucket.uploads()).toEqual([]);
    });
  });

  describe("files whose bucket is gone", () => {
    const server = useDemo("memory", { environment: inBucket(lost) }).server;

    test("are not stored: 709", async () => {
      await lost.remove();
      const session = await openSession(server(), "session", "admin");
      const send = senderOf(server, () => session);
      const stored = await send("POST", "/v1/uploadFile", form("abc", { name: "file" }), formType);
      expect([stored.status, stored.code]).toEqual([500, "709"]);
    });
  });
}
