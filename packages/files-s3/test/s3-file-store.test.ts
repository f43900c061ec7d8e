import { createHash } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { inspect } from "node:util";
import { fileStoreConformance } from "@sallyport/conformance-kit";
import type { ErrorCode, FileStore } from "@sallyport/storage";
import { S3Bucket, S3FileStore } from "@sallyport/files-s3";
import { ObjectStorageRelay, type Interception } from "@sallyport/test-kit/files/object-storage-relay";
import { openS3Files, type S3Files, s3UnderTest } from "@sallyport/test-kit/files/s3-under-test";
import { hasObjectStorage } from "@sallyport/test-kit/files/test-bucket";

const file = `ab${"0".repeat(30)}`;
const name = { file, segment: "c".repeat(32) };
const keys = { accessKeyId: "AKIDENTIFIER", secretAccessKey: "secretsecret" };

async function* content(size: number, beforeEnd = async () => {}) {
  for (let offset = 0; offset < size; offset += 65_536)
    yield Buffer.alloc(Math.min(65_536, size - offset), offset >> 16);
  await beforeEnd();
}

async function bytesOf(store: FileStore, length: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of await store.read(name, { offset: 0, length })) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Answers with XML. */
function answer(response: ServerResponse, status: number, body: string): true {
  response.writeHead(status, { "content-type": "application/xml" }).end(body);
  return true;
}

const failure = (code: string) =>
  `<?xml version="1.0"?><Error><Code>${code}</Code><AWSAccessKeyId>${keys.accessKeyId}</AWSAccessKeyId></Error>`;
const emptyUploads = "<ListMultipartUploadsResult></ListMultipartUploadsResult>";

describe("a scripted object storage", () => {
  let relay: ObjectStorageRelay;
  let store: S3FileStore;

  beforeEach(async () => {
    relay = new ObjectStorageRelay(null);
    await relay.listen();
    const bucket = new S3Bucket({ endpoint: relay.url, region: "us-east-1", bucket: "files", ...keys, silence: 200 });
    store = new S3FileStore(bucket, { prefix: "sales/" });
  });

  afterEach(() => relay.close());

  const calls: readonly [keyof FileStore, ErrorCode, () => Promise<unknown>][] = [
    ["create", 700, () => store.create(file)],
    ["write", 702, () => store.write(name, content(10))],
    ["read", 707, () => bytesOf(store, 1)],
    ["list", 702, () => store.list({ after: null, limit: 1 })],
    ["remove", 702, () => store.remove([name])],
    ["remove", 702, () => store.remove({ file })],
  ];

  const faults: readonly [string, Interception][] = [
    ["500", (_request, response) => answer(response, 500, failure("InternalError"))],
    ["503 without a body", (_request, response) => answer(response, 503, "")],
    ["403", (_request, response) => answer(response, 403, failure("SignatureDoesNotMatch"))],
    ["400 with a text that is not XML", (_request, response) => answer(response, 400, "<<< no & XML >")],
    ["404 with a page", (_request, response) => answer(response, 404, "<html><body>Not here</body></html>")],
    ["nothing", () => true],
    ["a broken connection", (request) => Boolean(request.socket.destroy())],
    [
      "half a body",
      (_request, response) => response.writeHead(200, { "content-length": 100 }).write("<a>", () => response.destroy()),
    ],
  ];

  test.each(faults)("that answers %s gets the catalogued codes, and errors have no keys", async (_fault, intercept) => {
    relay.intercept = intercept;
    await Promise.all(
      calls.map(async ([, code, run]) => {
        const error: unknown = await run().then(
          () => null,
          (thrown: unknown) => thrown,
        );
        expect(error).toMatchObject({ code });
        expect(inspect(error, { depth: 20, showHidden: true })).not.toMatch(/AKIDENTIFIER|secretsecret|Signature=/);
      }),
    );
  });

  test("without the bucket is gone", async () => {
    relay.intercept = (_request, response) => answer(response, 404, failure("NoSuchBucket"));
    await expect(store.prepare()).rejects.toMatchObject({ code: 709 });
    for (const [call, code, run] of calls) {
      if (call === "remove") await run();
      else await expect(run()).rejects.toMatchObject({ code: code === 707 ? 707 : 709 });
    }
  });

  test("that refuses twice is asked three times", async () => {
    let asked = 0;
    relay.intercept = (_request, response) => answer(response, (asked += 1) < 3 ? 503 : 200, "");
    await store.create(file);
    expect(relay.requests).toEqual(Array.from({ length: 3 }, () => `PUT /files/sales/${file}/created?x-id=PutObject`));
  });

  test("gets the digest of the bytes in the signed headers", async () => {
    const sent: [string | undefined, string, string][] = [];
    relay.intercept = (request, response) => {
      void request.toArray().then((chunks) => {
        const digest = createHash("sha256").update(Buffer.concat(chunks)).digest("hex");
        const isSigned = request.headers.authorization?.includes("x-amz-content-sha256") === true;
        sent.push([request.method, isSigned ? String(request.headers["x-amz-content-sha256"]) : "", digest]);
        answer(response, 200, "");
      });
      return true;
    };
    await store.write(name, content(200_000));
    const [, announced, computed] = sent.find(([method]) => method === "PUT") ?? [];
    expect(announced).toBe(computed);
  });

  test.each([
    ["the whole object", 200, {}],
    ["another range", 206, { "content-range": "bytes 1-5/10" }],
    ["a shorter range", 206, { "content-range": "bytes 0-3/4" }],
  ])("that answers %s is not believed", async (_case, status, headers) => {
    relay.intercept = (_request, response) => Boolean(response.writeHead(status, headers).end("Hello"));
    await expect(store.read(name, { offset: 0, length: 5 })).rejects.toMatchObject({ code: 707 });
  });

  test("lists files by name with the age of the newest object, from all pages, and nothing else", async () => {
    const at = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
    const entry = (key: string, hours: number) =>
      `<Contents><Key>sales/${key}</Key><LastModified>${at(hours)}</LastModified></Contents>`;
    const other = "b".repeat(32);
    const pages = [
      `<NextContinuationToken>next</NextContinuationToken>${entry(`${file}/created`, 9)}${entry(`${file}/${name.segment}`, 3)}`,
      [
        entry(`${file}/${"d".repeat(32)}`, 5),
        entry("readme.txt", 1),
        entry(`${file}/notes`, 1),
        entry(`${other}/created`, 2),
      ].join(""),
    ];
    relay.intercept = (request, response) => {
      if (request.url?.includes("uploads") === true) return answer(response, 200, emptyUploads);
      const page = pages[request.url?.includes("continuation-token=next") === true ? 1 : 0];
      return answer(response, 200, `<ListBucketResult>${page}</ListBucketResult>`);
    };
    const found = await store.list({ after: null, limit: 10 });
    expect(found.map((each) => [each.file, Math.round(each.age / 3_600_000)])).toEqual([
      [file, 3],
      [other, 2],
    ]);
  });

  test("loses uploads in parts that no process continues", async () => {
    const upload = (key: string, hours: number) =>
      `<Upload><Key>sales/${key}</Key><UploadId>${key}-id</UploadId><Initiated>${new Date(Date.now() - hours * 3_600_000).toISOString()}</Initiated></Upload>`;
    relay.intercept = (request, response) => {
      if (request.method === "DELETE") return answer(response, 204, "");
      if (request.url?.includes("uploads") !== true)
        return answer(response, 200, "<ListBucketResult></ListBucketResult>");
      const isSecond = request.url.includes("key-marker=one");
      const page = isSecond
        ? upload("old", 25)
        : `<IsTruncated>true</IsTruncated><NextKeyMarker>one</NextKeyMarker>${upload("young", 23)}`;
      return answer(response, 200, `<ListMultipartUploadsResult>${page}</ListMultipartUploadsResult>`);
    };
    await store.list({ after: file, limit: 10 });
    expect(relay.requests).toHaveLength(1);
    await store.list({ after: null, limit: 10 });
    expect(relay.requests.filter((each) => each.startsWith("DELETE"))).toEqual([
      "DELETE /files/sales/old?uploadId=old-id&x-id=AbortMultipartUpload",
    ]);
  });

  test.each([
    ["AccessDenied", 702],
    ["NoSuchKey", null],
  ])("that does not remove an object because of %s", async (code, expected) => {
    const digests: unknown[] = [];
    relay.intercept = (request, response) => {
      digests.push(request.headers["content-md5"]);
      return answer(response, 200, `<DeleteResult><Error><Key>a</Key><Code>${code}</Code></Error></DeleteResult>`);
    };
    const removing = store.remove([name]).then(
      () => null,
      (error: { readonly code: number }) => error.code,
    );
    expect(await removing).toBe(expected);
    expect(digests).toEqual([expect.stringMatching(/^[\w+/]{22}==$/)]);
  });
});

const partSize = 5 * 1_048_576;
const isPart = ({ url = "" }: IncomingMessage, number: number) => url.includes(`partNumber=${number}`);
const isCompletion = ({ method, url = "" }: IncomingMessage) => method === "POST" && url.includes("uploadId=");

if (hasObjectStorage) {
  await fileStoreConformance(s3UnderTest);

  describe("an object storage", () => {
    let files: S3Files;
    let store: FileStore;

    beforeEach(async () => {
      files = await openS3Files({ partSize, silence: 1_000 });
      store = files.store;
      await store.create(file);
    });

    afterEach(() => files.destroy());

    /** Asserts that nothing of the segment is left. */
    async function expectNothing(): Promise<void> {
      files.relay.intercept = () => false;
      expect(await files.bucket.uploads()).toEqual([]);
      expect(await files.bucket.keys()).toEqual(["some/escape", `some/files/${file}/created`]);
      await expect(store.read(name, { offset: 0, length: 0 })).rejects.toMatchObject({ code: 707 });
    }

    test("has the documented layout", async () => {
      await store.write(name, content(5));
      expect(await files.bucket.keys()).toEqual([
        "some/escape",
        `some/files/${file}/${name.segment}`,
        `some/files/${file}/created`,
      ]);
    });

    test.each([partSize - 1, partSize, partSize + 1, 2 * partSize, 2 * partSize + 1])(
      "stores %i bytes in as many parts as needed",
      async (size) => {
        expect(await store.write(name, content(size))).toBe(size);
        const parts = files.relay.requests.filter((each) => each.includes("partNumber=")).length;
        expect(parts).toBe(size > partSize ? Math.ceil(size / partSize) : 0);
        const expected = createHash("sha256");
        for await (const bytes of content(size)) expected.update(bytes);
        expect(
          createHash("sha256")
            .update(await bytesOf(store, size))
            .digest("hex"),
        ).toBe(expected.digest("hex"));
        expect(await files.bucket.uploads()).toEqual([]);
      },
    );

    test.each<[string, Interception]>([
      [
        "loses the connection in every second part",
        (request) => isPart(request, 2) && Boolean(request.once("data", () => request.socket.destroy())),
      ],
      [
        "refuses the last part",
        (request, response) => isPart(request, 3) && answer(response, 500, failure("InternalError")),
      ],
      ["is silent in the second part", (request) => isPart(request, 2)],
      [
        "does not complete the upload",
        (request, response) => isCompletion(request) && answer(response, 500, failure("InternalError")),
      ],
      [
        "reports a failure of the completion after its status",
        (request, response) => isCompletion(request) && answer(response, 200, failure("InternalError")),
      ],
      [
        "does not begin an upload",
        (request, response) => request.method === "POST" && answer(response, 403, failure("AccessDenied")),
      ],
    ])("that %s has nothing of the segment afterwards", async (_fault, intercept) => {
      files.relay.intercept = intercept;
      await expect(store.write(name, content(2 * partSize + 1))).rejects.toMatchObject({ code: 702 });
      await expectNothing();
    });

    test("whose answer to a stored segment is lost has nothing of it afterwards", async () => {
      files.relay.breakAfter = ({ method }) => (method === "PUT" ? 0 : Number.POSITIVE_INFINITY);
      await expect(store.write(name, content(10))).rejects.toMatchObject({ code: 702 });
      await expectNothing();
    });

    test("has no parts of a content that fails", async () => {
      const failing = content(2 * partSize + 1, async () => {
        throw new Error("lost");
      });
      await expect(store.write(name, failing)).rejects.toThrow("lost");
      await expectNothing();
    });

    test("stores nothing in a file that was removed", async () => {
      await store.remove({ file });
      await expect(store.write(name, content(10))).rejects.toMatchObject({ code: 702 });
      expect(await files.bucket.keys()).toEqual(["some/escape"]);
    });

    test("gets a part again that it refused", async () => {
      let refused = 0;
      files.relay.intercept = (request, response) =>
        isPart(request, 1) && (refused += 1) === 1 && answer(response, 503, failure("SlowDown"));
      expect(await store.write(name, content(partSize + 1))).toBe(partSize + 1);
      expect(refused).toBe(2);
    });

    test("that breaks connections in the middle is read to the end", async () => {
      await store.write(name, content(1_000_000));
      files.relay.breakAfter = ({ method }) => (method === "GET" ? 300_000 : Number.POSITIVE_INFINITY);
      const expected = Buffer.concat(await Readable.from(content(1_000_000)).toArray());
      expect((await bytesOf(store, 1_000_000)).equals(expected)).toBe(true);
      expect(files.relay.requests.filter((each) => each.startsWith("GET")).length).toBeGreaterThan(3);
      files.relay.breakAfter = ({ method }) => (method === "GET" ? 0 : Number.POSITIVE_INFINITY);
      await expect(bytesOf(store, 10)).rejects.toMatchObject({ code: 707 });
    });

    test("closes connections of readers that stop", async () => {
      await store.write(name, content(3_000_000));
      const answers: { closed: Promise<unknown>; response: ServerResponse }[] = [];
      files.relay.intercept = (request, response) => {
        if (request.method === "GET") answers.push({ closed: once(response, "close"), response });
        return false;
      };
      for await (const chunk of await store.read(name, { offset: 0, length: 3_000_000 })) if (chunk.length > 0) break;
      await Promise.all(answers.map(({ closed }) => closed));
      expect(answers.map(({ response }) => response.writableFinished)).toEqual([false]);
    });
  });
}
