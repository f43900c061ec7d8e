import { inspectAnswer } from "./wire-messages.ts";

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
  [
    "a panic, followed by what does not matter",
    [error("PANIC"), ready("I")],
    { ready: "I", fatal: "PANIC: No space left" },
  ],
  [
    "a value that looks like an error",
    [message("D", "E\0\0\0\x08SPANIC"), ready("I")],
    { ready: "I", fatal: undefined },
  ],
])("sees %s", (_title, messages, expected) => {
  expect(inspectAnswer(Buffer.concat(messages as Uint8Array[]))).toEqual(expected);
});
