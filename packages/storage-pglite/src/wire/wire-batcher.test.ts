import { serialize } from "pg-protocol";
import { WireBatcher, type WireBatch } from "./wire-batcher.ts";

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

describe("the opening", () => {
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
    ["is a query", [serialize.query("select 1")], [messages(true, serialize.query("select 1"), copyFail)]],
    [
      "is everything up to Sync",
      [...extended, serialize.sync()],
      [messages(true, ...extended, copyFail, serialize.sync())],
    ],
    [
      "is everything up to Flush",
      [...extended, serialize.flush()],
      [messages(false, ...extended, copyFail, serialize.flush())],
    ],
    ["waits for its end", extended, []],
    ["is the end of the connection", [serialize.end()], [{ kind: "terminate" }]],
    ["carries no copy data", [serialize.copyData(Buffer.from("x")), serialize.copyDone(), serialize.copyFail("y")], []],
    [
      "is one of several in a row",
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

  it("is in memory of its own", () => {
    const [batch] = started().push(serialize.query("select 1"));
    if (batch?.kind !== "messages") throw new Error("no batch");
    expect(batch.bytes.buffer.byteLength).toBe(batch.bytes.length);
  });

  it("cannot be shorter than its own length", () => {
    expect(() => started().push(Buffer.from([0x51, 0, 0, 0, 3]))).toThrow("3 bytes");
  });
});
