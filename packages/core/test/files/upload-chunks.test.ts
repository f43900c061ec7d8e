import { setImmediate } from "node:timers/promises";
import { ServiceError } from "../../src/index.ts";
import { codeOf, type FileFixture, incoming, md5, openFileFixture, SlowBytes } from "./file-fixture.ts";

let f: FileFixture;
let id: string;

beforeEach(async () => {
  f = await openFileFixture();
  id = (await f.begin.beginUpload(f.anna)).uploadId;
});

const abc = { first: 0, last: 2, total: 3 };
const send = (bytes: SlowBytes | string, range = abc) => f.chunk.storeChunk(f.anna, id, range, incoming(bytes));
const finish = () =>
  f.finish.finishUpload(f.anna, id, { replace: null, expectedVersions: null, serialization: undefined });
const state = () => f.read.readUpload(f.anna, id);

/** A writer that has begun to receive bytes. */
async function slowWriter(): Promise<{ readonly bytes: SlowBytes; readonly result: Promise<unknown> }> {
  const bytes = new SlowBytes();
  const result = codeOf(send(bytes));
  await bytes.started;
  return { bytes, result };
}

test.each([
  ["a chunk", () => send("abc"), 606],
  ["a whole file", () => f.chunk.storeChunk(f.anna, id, null, incoming("abc")), 606],
  ["the end", finish, 606],
  ["a cancellation", () => f.cancel.cancelUpload(f.anna, id), 605],
])("while a chunk is received, %s is refused", async (_what, call, code) => {
  const { bytes, result } = await slowWriter();
  bytes.send("ab");
  expect(await codeOf(call())).toBe(code);
  expect((await state()).size).toBe(0);
  bytes.send("c").end();
  expect(await result).toMatchObject({ size: 3 });
});

test("the next request can write at once after a failed one", async () => {
  const { bytes, result } = await slowWriter();
  bytes.fail(new ServiceError(699));
  expect(await result).toBe(699);
  expect((await send("abc")).size).toBe(3);
});

test("of many writers at once, one wins and the others are refused", async () => {
  const codes = await Promise.all(Array.from({ length: 8 }, () => codeOf(send("abc"))));
  expect(codes.filter((code) => code === 606)).toHaveLength(7);
  expect(await state()).toMatchObject({ size: 3, hash: md5("abc") });
  expect(f.files.segmentsOf(id.replaceAll("-", ""))).toBe(1);
});

test("of several ends at once, one creates the file", async () => {
  await send("abc");
  const results = await Promise.all(Array.from({ length: 5 }, () => codeOf(finish())));
  expect(results.filter((each) => typeof each === "object")).toHaveLength(1);
  expect(results.filter((each) => each === 603 || each === 606)).toHaveLength(4);
  expect(await f.r.objects.count({ classes: ["File"] }, { classes: null, principals: null })).toBe(1);
});

describe("a writer without a sign of life for five seconds", () => {
  test("is followed by the next one, and acknowledges nothing", async () => {
    const { bytes, result } = await slowWriter();
    f.clock.ahead += 4_900;
    expect(await codeOf(send("abc"))).toBe(606);
    f.clock.ahead += 200;
    expect((await send("xyz")).size).toBe(3);
    bytes.send("abc").end();
    expect(await result).toBe(606);
    expect(await state()).toMatchObject({ size: 3, hash: md5("xyz") });
    expect(f.files.segmentsOf(id.replaceAll("-", ""))).toBe(1);
  });

  test("is refused while the next one is writing, and does not disturb it", async () => {
    const late = await slowWriter();
    f.clock.ahead += 5_100;
    const next = await slowWriter();
    late.bytes.send("abc").end();
    expect(await late.result).toBe(606);
    next.bytes.send("xyz").end();
    expect(await next.result).toMatchObject({ size: 3, hash: md5("xyz") });
  });

  test("cannot revive a cancelled upload", async () => {
    const { bytes, result } = await slowWriter();
    f.clock.ahead += 5_100;
    await f.cancel.cancelUpload(f.anna, id);
    bytes.send("abc").end();
    expect([603, 606, 702]).toContain(await result);
    expect(await codeOf(state())).toBe(603);
    expect(f.files.names).toEqual([]);
  });
});

describe("bytes that keep flowing", () => {
  // The renewal follows the process's clock, the lease the storage's.
  const { now } = Date;
  let ahead = 0;

  beforeEach(() => {
    ahead = 0;
    Date.now = () => now() + ahead;
  });

  afterEach(() => {
    Date.now = now;
  });

  test("keep others out for longer than five seconds", async () => {
    const { bytes, result } = await slowWriter();
    for (const letter of ["a", "b", "c"]) {
      ahead += 4_000;
      bytes.send(letter);
      await turns();
      expect(await codeOf(send("xyz"))).toBe(606);
    }
    bytes.end();
    expect(await result).toMatchObject({ size: 3, hash: md5("abc") });
  });

  test("that stop for six seconds are accepted if no one has written meanwhile", async () => {
    const { bytes, result } = await slowWriter();
    ahead += 6_000;
    bytes.send("abc").end();
    expect(await result).toMatchObject({ size: 3, hash: md5("abc") });
  });

  test("that stop for six seconds are refused if others have written meanwhile", async () => {
    const { bytes, result } = await slowWriter();
    ahead += 6_000;
    await send("x", { first: 0, last: 0, total: 3 });
    bytes.send("abc").end();
    expect(await result).toBe(606);
    expect(await state()).toMatchObject({ size: 1, hash: md5("x") });
  });
});

describe("after the log-out", () => {
  const logOut = () => f.r.sessions.end({ digest: f.anna.sessionDigest });

  test("a chunk that was being received is refused", async () => {
    const { bytes, result } = await slowWriter();
    bytes.send("ab");
    await logOut();
    bytes.send("c").end();
    expect(await result).toBe(201);
    expect((await state()).size).toBe(0);
    expect(f.files.segmentsOf(id.replaceAll("-", ""))).toBe(0);
    expect(await f.r.records.list("storedBytes", { after: null, limit: 20 })).toEqual([]);
  });

  test("a file that was being received is refused", async () => {
    const bytes = new SlowBytes();
    const result = codeOf(f.store.storeFile(f.anna, incoming(bytes, { name: "a.txt" })));
    await bytes.started;
    await logOut();
    bytes.send("c").end();
    expect(await result).toBe(201);
    expect(f.files.names).toEqual([id.replaceAll("-", "")]);
    expect(await f.r.objects.count({ classes: ["File"] }, { classes: null, principals: null })).toBe(0);
  });

  test("an upload is not finished", async () => {
    await send("abc");
    await logOut();
    expect(await codeOf(finish())).toBe(201);
    expect((await state()).size).toBe(3);
  });
});

/** Lets pending promises settle. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await setImmediate();
}
