import { serialize } from "pg-protocol";
import { type WireBatch, WireBatcher } from "./wire/wire-batcher.ts";
import { inspectAnswer } from "./wire/wire-messages.ts";

describe("wire batcher", () => {
  const startup = serialize.startup({ user: "postgres", database: "postgres" });
  const copyFail = serialize.copyFail("No source stream defined");
  const extended = [
    serialize.parse({ text: "select $1", name: "n" }),
    serialize.bind({ statement: "n", values: ["1"] }),
    serialize.execute({}),
  ];
  const request = (code: number): Buffer => {
    const packet = Buffer.alloc(8);
    packet.writeInt32BE(8, 0);
    packet.writeInt32BE(code, 4);
    return packet;
  };

  function started(): WireBatcher {
    const batcher = new WireBatcher();
    batcher.push(startup);
    return batcher;
  }

  const plain = (batches: WireBatch[]): unknown[] =>
    batches.map((batch) => ("bytes" in batch ? { ...batch, bytes: Buffer.from(batch.bytes) } : batch));
  const messages = (settles: boolean, ...parts: Buffer[]): unknown => ({
    kind: "messages",
    settles,
    bytes: Buffer.concat(parts),
  });

  describe("the first message", () => {
    it.each([
      ["TLS", 80877103, "encryption"],
      ["GSSAPI", 80877104, "encryption"],
      ["cancellation", 80877102, "cancel"],
    ])("recognizes the request for %s", (_title, code, kind) => {
      const batcher = new WireBatcher();
      expect(batcher.push(request(code))).toEqual([{ kind }]);
      expect(plain(batcher.push(startup))).toEqual([{ kind: "startup", bytes: startup }]);
    });
  });

  describe("a batch", () => {
    it.each<[string, Buffer[], unknown[]]>([
      ["a query", [serialize.query("select 1")], [messages(true, serialize.query("select 1"), copyFail)]],
      [
        "everything up to Sync",
        [...extended, serialize.sync()],
        [messages(true, ...extended, copyFail, serialize.sync())],
      ],
      [
        "everything up to Flush",
        [...extended, serialize.flush()],
        [messages(false, ...extended, copyFail, serialize.flush())],
      ],
      ["an unfinished batch", extended, []],
      ["the end of the connection", [serialize.end()], [{ kind: "terminate" }]],
      ["copy data", [serialize.copyData(Buffer.from("x")), serialize.copyDone(), serialize.copyFail("y")], []],
      [
        "several batches in a row",
        [...extended, serialize.sync(), serialize.query("select 2"), serialize.end()],
        [
          messages(true, ...extended, copyFail, serialize.sync()),
          messages(true, serialize.query("select 2"), copyFail),
          { kind: "terminate" },
        ],
      ],
    ])("%s", (_title, parts, expected) => {
      const bytes = Buffer.concat(parts as Uint8Array[]);
      expect(plain(started().push(bytes))).toEqual(expected);
      const batcher = started();
      expect(plain([...bytes].flatMap((byte) => batcher.push(Buffer.from([byte]))))).toEqual(expected);
    });

    it("is copied into its own memory", () => {
      const [batch] = started().push(serialize.query("select 1"));
      if (batch?.kind !== "messages") throw new Error("no batch");
      expect(batch.bytes.buffer.byteLength).toBe(batch.bytes.length);
    });

    it("cannot be shorter than its header", () => {
      expect(() => started().push(Buffer.from([0x51, 0, 0, 0, 3]))).toThrow("3 bytes");
    });
  });
});

const message = (type: string, body: string): Buffer => {
  const header = Buffer.alloc(5);
  header.write(type);
  header.writeInt32BE(4 + Buffer.byteLength(body), 1);
  return Buffer.concat([header, Buffer.from(body)]);
};
const error = (severity: string): Buffer => message("E", `S${severity}\0V${severity}\0C53100\0MNo space left\0\0`);
const ready = (status: string): Buffer => message("Z", status);

it.each([
  ["nothing", [], { ready: undefined, fatal: undefined }],
  ["a finished answer", [message("C", "SELECT 1\0"), ready("I")], { ready: "I", fatal: undefined }],
  [
    "an answer within a transaction",
    [ready("I"), message("C", "BEGIN\0"), ready("T")],
    { ready: "T", fatal: undefined },
  ],
  ["an answer broken off", [ready("I"), message("T", "\0\0")], { ready: undefined, fatal: undefined }],
  ["an ordinary error", [error("ERROR"), ready("E")], { ready: "E", fatal: undefined }],
  ["a fatal error", [error("FATAL")], { ready: undefined, fatal: "FATAL: No space left" }],
  ["a panic, with later messages ignored", [error("PANIC"), ready("I")], { ready: "I", fatal: "PANIC: No space left" }],
  [
    "a value that looks like an error",
    [message("D", "E\0\0\0\x08SPANIC"), ready("I")],
    { ready: "I", fatal: undefined },
  ],
])("recognizes %s", (_title, messages, expected) => {
  expect(inspectAnswer(Buffer.concat(messages as Uint8Array[]))).toEqual(expected);
});
