import { type FileStore, type SegmentName, ServiceError } from "@sallyport/storage";
import {
  driverText,
  fileStoreFaults,
  Latch,
  FileStoreFaultScript,
  withFileStoreFaults,
} from "@sallyport/testing/faults";
import { fileStoreConformance } from "@sallyport/conformance-kit";
import { fileStoreUnderTest } from "@sallyport/test-kit/files/file-store-under-test";

describe("file store with faults", () => {
  const file = "f".repeat(32);
  const segment = (digit: string): SegmentName => ({ file, segment: digit.repeat(32) });
  const bytes = Buffer.from("0123456789");

  let script: FileStoreFaultScript;
  let store: FileStore;
  let inner: FileStore;
  let destroy: () => Promise<void>;

  beforeEach(async () => {
    const opened = await fileStoreUnderTest("inner").create();
    ({ store: inner, destroy } = opened);
    script = new FileStoreFaultScript();
    store = withFileStoreFaults(inner, script);
    await inner.create(file);
    await inner.write(segment("0"), content());
  });

  afterEach(() => destroy());

  let ended = 0;
  async function* content() {
    try {
      for (let offset = 0; offset < bytes.length; offset += 4) yield bytes.subarray(offset, offset + 4);
    } finally {
      ended += 1;
    }
  }

  /** The bytes of a read, and the code of its error, 0 for none. */
  async function readOf(from: FileStore, name: SegmentName): Promise<{ text: string; code: number }> {
    const chunks: Uint8Array[] = [];
    try {
      for await (const chunk of await from.read(name, { offset: 0, length: bytes.length })) chunks.push(chunk);
      return { text: Buffer.concat(chunks).toString(), code: 0 };
    } catch (error) {
      return { text: Buffer.concat(chunks).toString(), code: (error as ServiceError).code };
    }
  }

  const whole = { text: "0123456789", code: 0 };
  const missing = { text: "", code: 707 };

  test.each([
    ["full", 702, fileStoreFaults.full],
    ["gone", 709, fileStoreFaults.gone],
    ["unexpected", 799, fileStoreFaults.unexpected],
    ["fullAfter(0)", 702, fileStoreFaults.fullAfter(0)],
    ["fullAfter(5)", 702, fileStoreFaults.fullAfter(5)],
    ["fullAfter(10)", 702, fileStoreFaults.fullAfter(10)],
    ["fullAfter(1000)", 702, fileStoreFaults.fullAfter(1_000)],
    ["goneAfter(5)", 709, fileStoreFaults.goneAfter(5)],
  ])("fails a write and stores nothing: %s", async (_name, code, fault) => {
    const scripted = script.add({ call: "write", fault });
    const failed = store.write(segment("1"), content());
    await expect(failed).rejects.toMatchObject({ code, cause: { message: expect.stringContaining(driverText) } });
    expect(scripted.injections).toBe(1);
    expect(await readOf(inner, segment("1"))).toEqual(missing);
    await expect(store.write(segment("2"), content())).resolves.toBe(10);
  });

  test("stores the segment of a write whose answer is lost", async () => {
    script.add({ call: "write", fault: fileStoreFaults.answerLost });
    await expect(store.write(segment("1"), content())).rejects.toMatchObject({ code: 702 });
    expect(await readOf(store, segment("1"))).toEqual(whole);
  });

  test("ends the content of a write that fails in the middle", async () => {
    ended = 0;
    script.add({ call: "write", fault: fileStoreFaults.fullAfter(5) });
    await expect(store.write(segment("1"), content())).rejects.toThrow(ServiceError);
    expect(ended).toBe(1);
  });

  test.each([
    ["unreadable", { text: "", code: 707 }, fileStoreFaults.unreadable],
    ["unreadableAfter(0)", { text: "", code: 707 }, fileStoreFaults.unreadableAfter(0)],
    ["unreadableAfter(7)", { text: "0123456", code: 707 }, fileStoreFaults.unreadableAfter(7)],
    ["truncated(7)", { text: "0123456", code: 0 }, fileStoreFaults.truncated(7)],
    ["truncated(0)", { text: "", code: 0 }, fileStoreFaults.truncated(0)],
    ["truncated(99)", whole, fileStoreFaults.truncated(99)],
  ])("fails a read: %s", async (_name, expected, fault) => {
    script.add({ call: "read", fault });
    expect(await readOf(store, segment("0"))).toEqual(expected);
    expect(await readOf(store, segment("0"))).toEqual(whole);
  });

  test("slows a read before it starts, and after some bytes", async () => {
    for (const [bytesBefore, seen] of [
      [null, ""],
      [0, ""],
      [6, "012345"],
    ] as const) {
      const latch = new Latch();
      script.add({ call: "read", fault: fileStoreFaults.slow(latch, bytesBefore) });
      let text = "";
      const reading = (async () => {
        for await (const chunk of await store.read(segment("0"), { offset: 0, length: 10 }))
          text += Buffer.from(chunk).toString();
      })();
      await latch.reached;
      expect(text).toBe(seen);
      latch.open();
      await reading;
      expect(text).toBe("0123456789");
    }
  });

  test("slows a write after some bytes", async () => {
    const latch = new Latch();
    script.add({ call: "write", fault: fileStoreFaults.slow(latch, 6) });
    const writing = store.write(segment("1"), content());
    await latch.reached;
    expect(await readOf(inner, segment("1"))).toEqual(missing);
    latch.open();
    await expect(writing).resolves.toBe(10);
    expect(await readOf(inner, segment("1"))).toEqual(whole);
  });

  test("fails the selected calls, and records all", async () => {
    script.add({ call: "create", fault: fileStoreFaults.notCreatable });
    script.add({ call: "list", nth: 2, fault: fileStoreFaults.gone });
    script.add({
      call: ({ name, args }) => name === "remove" && "file" in Object(args[0]),
      fault: fileStoreFaults.foreign,
    });
    const page = { after: null, limit: 5 };
    const calls = await script.record(async () => {
      await expect(store.create("e".repeat(32))).rejects.toMatchObject({ code: 700 });
      await expect(store.list(page)).resolves.toMatchObject([{ file }]);
      await expect(store.list(page)).rejects.toMatchObject({ code: 709 });
      await store.remove([segment("0")]);
      await expect(store.remove({ file })).rejects.toMatchObject({ name: "DriverError" });
    });
    expect(calls.map(({ name }) => name)).toEqual(["create", "list", "list", "remove", "remove"]);
    expect(await inner.list(page)).toMatchObject([{ file }]);
  });

  test.each([
    ["create", () => store.create("e".repeat(32))],
    ["freeBytes", () => store.freeBytes()],
  ] as const)("refuses a fault in the bytes of %s", async (call, run) => {
    script.add({ call, fault: fileStoreFaults.fullAfter(3) });
    await expect(run()).rejects.toThrow(`${call} has no bytes`);
  });

  test("ends the inner read, even before its first step", async () => {
    script.add({ call: "read", nth: "every", fault: fileStoreFaults.truncated(3) });
    const iterator = (await store.read(segment("0"), { offset: 0, length: 10 }))[Symbol.asyncIterator]();
    await iterator.return?.();
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  });
});

const underTest = fileStoreUnderTest("A file store with an empty fault script", {
  wrap: (store) => withFileStoreFaults(store, new FileStoreFaultScript()),
});

await fileStoreConformance(underTest);
