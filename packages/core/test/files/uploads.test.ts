import { randomUUID } from "node:crypto";
import { acceptFileName, mediaTypeOf } from "../../src/objects/files/file-names.ts";
import { ServiceError } from "@sallyport/storage";
import { bytes, codeOf, collected, type FileFixture, incoming, md5, openFileFixture } from "./file-fixture.ts";
import {
  beginUpload,
  storeChunk,
  finishUpload,
  readUpload,
  cancelUpload,
  storeFile,
  openFile,
} from "../../src/index.ts";

describe("uploads", () => {
  const hour = 3_600_000;
  let f: FileFixture;
  let id: string;

  beforeEach(async () => {
    f = await openFileFixture({ maxSize: 1_000 });
    id = (await beginUpload(f.anna)).uploadId;
  });

  /** Sends a chunk. `place`: `first-last/total`. */
  const send = (place: string, text: string, name: string | null = null) => {
    const [, first, last, total] = /^(\d+)-(\d+)\/(\d+|\*)$/.exec(place) as unknown as string[];
    const range = { first: Number(first), last: Number(last), total: total === "*" ? null : Number(total) };
    return storeChunk(f.anna, id, range, incoming(text, { name }));
  };
  const replaceBy = (text: string) => storeChunk(f.anna, id, null, incoming(text));
  const finish = (change = {}) =>
    finishUpload(f.anna, id, { replace: null, expectedVersions: null, serialization: undefined, ...change });
  const storedBytes = async () => {
    const records = await f.r.records.list<number>("storedBytes", { after: null, limit: 20 });
    return records.reduce((sum, { value }) => sum + value, 0);
  };

  test("a new upload is empty", async () => {
    const state = await readUpload(f.anna, id);
    expect(state).toEqual({ uploadId: id, size: 0, hash: md5(""), ranges: [], expiresAt: expect.any(Number) });
    expect(Math.abs(state.expiresAt - Date.now() - hour)).toBeLessThan(10_000);
  });

  test("its id is accepted in upper case", async () => {
    expect((await readUpload(f.anna, id.toUpperCase())).uploadId).toBe(id);
  });

  describe("an id", () => {
    const calls: [string, (context: FileFixture["anna"], uploadId: string) => Promise<unknown>][] = [
      ["the state", (context, uploadId) => readUpload(context, uploadId)],
      ["a chunk", (context, uploadId) => storeChunk(context, uploadId, null, incoming("a"))],
      [
        "the end",
        (context, uploadId) =>
          finishUpload(context, uploadId, { replace: null, expectedVersions: null, serialization: undefined }),
      ],
      ["a cancellation", (context, uploadId) => cancelUpload(context, uploadId)],
    ];

    test.each(calls)(
      "that is none is refused with 602 by %s, and an unknown one or another user's with 603",
      async (_, call) => {
        expect(await codeOf(call(f.anna, "1"))).toBe(602);
        expect(await codeOf(call(f.anna, `${id}0`))).toBe(602);
        expect(await codeOf(call(f.anna, randomUUID()))).toBe(603);
        expect(await codeOf(call(f.ben, id))).toBe(603);
      },
    );
  });

  test.each([
    ["in order", ["0-2/6 abc", "3-5/6 def"], 6, "0-5"],
    ["backwards", ["3-5/6 def", "0-2/6 abc"], 6, "0-5"],
    ["with a gap", ["0-1/6 ab", "4-5/6 ef"], 2, "0-1 4-5"],
    ["without the beginning", ["4-5/6 ef"], 0, "4-5"],
    ["twice", ["0-2/6 abc", "0-2/6 abc"], 3, "0-2"],
    ["overlapping with the same bytes", ["0-3/6 abcd", "2-5/6 cdef"], 6, "0-5"],
    ["around others", ["1-1/6 b", "4-4/6 e", "0-5/6 abcdef"], 6, "0-5"],
    ["inside another", ["0-5/6 abcdef", "2-3/6 cd"], 6, "0-5"],
    ["of unknown total", ["0-2/* abc", "3-5/* def"], 6, "0-5"],
    ["whose total comes last", ["0-2/* abc", "3-5/6 def"], 6, "0-5"],
  ])("chunks %s are received", async (_how, chunks, size, ranges) => {
    for (const [place, text] of chunks.map((each) => each.split(" ") as [string, string])) await send(place, text);
    const state = await readUpload(f.anna, id);
    expect(state.size).toBe(size);
    expect(state.hash).toBe(md5("abcdef".slice(0, size)));
    expect(state.ranges.map(({ first, last }) => `${first}-${last}`).join(" ")).toBe(ranges);
    for (const range of state.ranges) expect(Object.keys(range)).toEqual(["first", "last"]);
  });

  test.each([
    ["that ends before it begins", "3-2/6", "a", 600],
    ["beyond the total", "4-6/6", "efg", 600],
    ["of another total", "4-5/7", "ef", 600],
    ["of a total below the bytes received", "0-0/2", "a", 600],
    ["with other bytes", "0-2/6", "aXc", 600],
    ["that overlaps with other bytes", "2-5/6", "Xdef", 600],
    ["with too few bytes", "3-5/6", "de", 600],
    ["with too many bytes", "3-5/6", "defg", 600],
    ["with too few of the bytes received", "0-2/6", "ab", 600],
    ["with more than the bytes received", "0-2/6", "abcd", 600],
    ["without bytes", "3-5/6", "", 604],
    ["of a file that is too large", "3-5/1001", "def", 600],
  ])("a chunk %s is refused, and nothing changes", async (_what, place, text, code) => {
    await send("0-2/6", "abc");
    const before = await readUpload(f.anna, id);
    expect(await codeOf(send(place, text))).toBe(code);
    expect(await readUpload(f.anna, id)).toEqual(before);
    expect(f.files.segmentsOf(id.replaceAll("-", ""))).toBe(1);
    expect(await storedBytes()).toBe(3);
  });

  test("a range of numbers that are not whole is refused", async () => {
    for (const range of [
      { first: 0.5, last: 2, total: 6 },
      { first: -1, last: 2, total: 6 },
      { first: 0, last: Number.MAX_SAFE_INTEGER + 1, total: null },
      { first: Number.NaN, last: 2, total: 6 },
    ])
      expect(await codeOf(storeChunk(f.anna, id, range, incoming("abc")))).toBe(600);
  });

  test("a file that would be too large is refused before its bytes", async () => {
    const receive = () => Promise.reject(new Error("The bytes are asked for."));
    for (const range of [
      { first: 0, last: 2, total: 1_001 },
      { first: 1_000, last: 1_000, total: null },
    ])
      expect(await codeOf(storeChunk(f.anna, id, range, receive))).toBe(801);
    expect(await codeOf(replaceBy("x".repeat(1_001)))).toBe(801);
    expect((await replaceBy("x".repeat(1_000))).size).toBe(1_000);
  });

  test("a whole file replaces the chunks", async () => {
    await send("4-5/6", "ef");
    await send("0-1/6", "ab");
    expect(await replaceBy("new content")).toMatchObject({
      size: 11,
      hash: md5("new content"),
      ranges: [{ first: 0, last: 10 }],
    });
    expect(await replaceBy("newer")).toMatchObject({ size: 5, hash: md5("newer") });
    expect(f.files.segmentsOf(id.replaceAll("-", ""))).toBe(1);
    expect(await storedBytes()).toBe(5);
    expect(await codeOf(replaceBy(""))).toBe(501);
    expect((await readUpload(f.anna, id)).size).toBe(5);
  });

  test("more than 1,000 gaps are refused", async () => {
    f = await openFileFixture({ maxSize: 10_000 });
    id = (await beginUpload(f.anna)).uploadId;
    for (let index = 0; index < 1_000; index += 1) {
      const first = 2 * index + 1;
      await storeChunk(f.anna, id, { first, last: first, total: 5_000 }, incoming("x"));
    }
    expect(await codeOf(send("3001-3001/5000", "x"))).toBe(600);
    expect((await send("2-2/5000", "x")).ranges).toHaveLength(999);
    // A thousand chunks, each with the list of all ranges.
  }, 120_000);

  describe("a name", () => {
    test("that is not accepted is refused with its chunk", async () => {
      expect(await codeOf(send("0-0/1", "a", "../a"))).toBe(502);
      expect((await readUpload(f.anna, id)).size).toBe(0);
    });

    test("of any chunk is the name of the file", async () => {
      await send("0-0/2", "a", "first.txt");
      await send("1-1/2", "b");
      expect((await finish()).object).toMatchObject({ Name: "first.txt" });
    });

    test("is the id of the upload if there is none", async () => {
      await send("0-0/1", "a");
      expect((await finish()).object).toMatchObject({ Name: id });
    });
  });

  test("an error of the bytes comes out unchanged, and nothing is stored", async () => {
    const broken = async function* () {
      yield bytes("ab");
      throw new ServiceError(699);
    };
    const range = { first: 0, last: 2, total: 6 };
    expect(await codeOf(storeChunk(f.anna, id, range, incoming(broken())))).toBe(699);
    expect(await codeOf(storeChunk(f.anna, id, null, incoming(broken())))).toBe(699);
    expect((await send("0-2/6", "abc")).size).toBe(3);
    expect(f.files.segmentsOf(id.replaceAll("-", ""))).toBe(1);
  });

  describe("limits", () => {
    test("a user can have so many unfinished uploads, and others are not affected", async () => {
      f = await openFileFixture({ maxOpenUploads: 2 });
      const first = await beginUpload(f.anna);
      await beginUpload(f.anna);
      expect(await codeOf(beginUpload(f.anna))).toBe(706);
      expect(f.files.names).toHaveLength(2);
      await beginUpload(f.ben);
      await cancelUpload(f.anna, first.uploadId);
      await beginUpload(f.anna);
    });

    test("an upload expires after its last chunk", async () => {
      await send("0-0/3", "a");
      f.clock.ahead += hour - 60_000;
      await reopen();
      await send("1-1/3", "b");
      f.clock.ahead += hour - 60_000;
      expect((await readUpload(f.anna, id)).size).toBe(2);
      f.clock.ahead += 120_000;
      expect(await codeOf(readUpload(f.anna, id))).toBe(603);
    });

    test("the database has room for so many bytes", async () => {
      f = await openFileFixture({ maxBytes: 10 });
      id = (await beginUpload(f.anna)).uploadId;
      await send("0-5/20", "abcdef");
      const receive = () => Promise.reject(new Error("The bytes are asked for."));
      expect(await codeOf(storeChunk(f.anna, id, { first: 6, last: 10, total: 20 }, receive))).toBe(702);
      await send("6-9/20", "ghij");
      expect(await codeOf(beginUpload(f.anna))).toBe(702);
      expect(await codeOf(storeFile(f.anna, receive))).toBe(702);
      await cancelUpload(f.anna, id);
      expect(await codeOf(storeFile(f.anna, incoming("x".repeat(11), { name: "a" })))).toBe(702);
      await storeFile(f.anna, incoming("x".repeat(10), { name: "a" }));
      expect(await storedBytes()).toBe(10);
    });

    test("a full store is not a reason to ask for bytes", async () => {
      f.files.free = 2;
      const receive = () => Promise.reject(new Error("The bytes are asked for."));
      expect(await codeOf(storeChunk(f.anna, id, { first: 0, last: 2, total: 3 }, receive))).toBe(702);
      expect((await send("0-1/3", "ab")).size).toBe(2);
    });

    /** Opens the user's session again, as it has expired with the clock. */
    async function reopen(): Promise<void> {
      const { account } = await f.r.accounts.find({ id: f.anna.principal.userId }, []);
      const { session, sessionDigest: digest } = f.anna;
      await f.r.sessions.end({ digest });
      await f.r.sessions.sweep(10);
      await f.r.sessions.open(
        { ...session, digest, secretVersion: account?.secretVersion ?? 0 },
        f.database.policy.sessions,
      );
    }
  });

  describe("a store that fails", () => {
    test("with 700 leaves no upload", async () => {
      f.files.create = () => Promise.reject(new ServiceError(700));
      expect(await codeOf(beginUpload(f.anna))).toBe(700);
      expect((await f.r.records.list("upload", { after: null, limit: 10 })).map((record) => record.id)).toEqual([id]);
    });

    test("with 709 leaves the upload as it was", async () => {
      await send("0-2/6", "abc");
      const { write } = f.files;
      f.files.write = () => Promise.reject(new ServiceError(709));
      expect(await codeOf(send("3-5/6", "def"))).toBe(709);
      f.files.write = write.bind(f.files);
      await f.files.remove({ file: id.replaceAll("-", "") });
      expect(await codeOf(send("3-5/6", "def"))).toBe(702);
      expect(await codeOf(send("0-2/6", "abc"))).toBe(707);
      expect((await readUpload(f.anna, id)).size).toBe(3);
    });
  });

  test("a cancelled upload leaves nothing", async () => {
    await send("0-2/6", "abc");
    await cancelUpload(f.anna, id);
    expect(await codeOf(readUpload(f.anna, id))).toBe(603);
    expect(f.files.names).toEqual([]);
    expect(await storedBytes()).toBe(0);
    expect(await f.r.records.list("segment", { after: null, limit: 1 })).toEqual([]);
  });

  test("any range of a file can be read", async () => {
    const text = "0123456789abcdefghij";
    for (const first of [15, 0, 10, 5]) await send(`${first}-${first + 4}/20`, text.slice(first, first + 5));
    const { object } = await finish();
    const opened = await openFile(f.anna, { kind: "id", id: object["~ObjectID"] });
    for (let offset = 0; offset < 20; offset += 1) {
      for (let length = 1; offset + length <= 20; length += 1)
        expect(await collected(await opened.read({ offset, length }))).toBe(text.slice(offset, offset + length));
    }
  });
});

describe("names of files", () => {
  const anyName = { allowedExtensions: [], forbiddenExtensions: [] };

  function accepted(name: string | null, rules = anyName as Parameters<typeof acceptFileName>[1]): unknown {
    try {
      return acceptFileName(name, rules);
    } catch (error) {
      return error instanceof ServiceError ? error.code : error;
    }
  }

  test.each([
    "a",
    "plan.pdf",
    "Grüße aus Zürich.txt",
    "年度報告.docx",
    ".profile",
    "a b",
    "archive.tar.gz",
    "console.log",
    "com10.txt",
    "．．／．．／etc／x",
    "a".repeat(255),
    "ü".repeat(127),
  ])("accepts the name %j", (name) => {
    expect(accepted(name)).toBe(name);
  });

  test.each([
    ["no name", null],
    ["an empty name", ""],
    ["blanks", "  "],
    ["a folder", "a/b"],
    ["a folder of Windows", "a\\b"],
    ["the folder itself", "."],
    ["the parent folder", ".."],
    ["a trailing dot", "run.exe."],
    ["a trailing space", "run.exe "],
    ["NUL", "a\0.txt"],
    ["a line break", "a\r\nb"],
    ["DEL", "a\u007f"],
    ["a control character beyond ASCII", "a\u0085"],
    ["a mark that reverses text", "plan\u202efdp.exe"],
    ["an isolating mark", "a\u2066b"],
    ["half a character", "a\ud800"],
    ["256 bytes", "a".repeat(256)],
    ["256 bytes of longer characters", "ü".repeat(128)],
    ["a device", "CON"],
    ["a device in lower case", "nul"],
    ["a device with an extension", "com1.txt"],
    ["a device with several extensions", "Aux.tar.gz"],
    ["a device with a raised digit", "LPT¹.txt"],
    ["a device before a stream", "prn:a"],
    ["a drive", "C:a"],
    ["a stream", "a.txt:b"],
    ["the stream of the bytes", "a.txt::$DATA"],
    ["a trailing blank beyond ASCII", "run.exe\u3000"],
    ["a line separator", "a\u2028b"],
    ["a mark for the direction of text", "a\u200fb"],
    ["a mark for Arabic letters", "a\u061cb"],
    ["bytes that are not UTF-8", "gr\ufffdn"],
  ])("refuses %s", (_what, name) => {
    expect(accepted(name)).toBe(502);
  });

  const documents = { allowedExtensions: ["pdf", "exe"], forbiddenExtensions: ["exe"] };
  const anything = { allowedExtensions: [], forbiddenExtensions: ["exe", ""] };

  test.each([
    ["plan.pdf", documents, "plan.pdf"],
    ["PLAN.PDF", documents, "PLAN.PDF"],
    ["plan.exe.pdf", documents, "plan.exe.pdf"],
    ["plan.exe", documents, 502],
    ["plan.txt", documents, 502],
    ["plan", documents, 502],
    ["plan.txt", anything, "plan.txt"],
    ["plan.Exe", anything, 502],
    ["plan.exe:notes.txt", anything, 502],
    ["plan", anything, 502],
  ])("judges the extension of %s", (name, rules, expected) => {
    expect(accepted(name, rules)).toBe(expected);
  });

  test.each([
    [null, null],
    ["", null],
    ["text/plain", "text/plain"],
    ["Text/HTML; charset=utf-8", "text/html"],
    ["application/vnd.oasis.opendocument.text", "application/vnd.oasis.opendocument.text"],
    ["text", null],
    ["text/plain\r\nX-Header: a", null],
    [`text/${"a".repeat(200)}`, null],
  ])("keeps a media type only if it is one: %j", (input, expected) => {
    expect(mediaTypeOf(input)).toBe(expected);
  });
});
