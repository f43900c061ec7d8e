/**
 * Joins the parts in an array with its own memory: a view into a larger buffer (Node's pool, the memory of the compiled
 * database) would be sent to another thread with the whole buffer.
 */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}

/** The Query message of the PostgreSQL protocol, without parameters. */
export function simpleQuery(text: string): Uint8Array<ArrayBuffer> {
  const body = Buffer.from(`${text}\0`);
  const message = new Uint8Array(5 + body.length);
  message[0] = 0x51;
  new DataView(message.buffer).setInt32(1, 4 + body.length);
  message.set(body, 5);
  return message;
}

/** The server state that an answer reports. */
export interface AnswerState {
  /** The transaction status if the last message is ReadyForQuery: "I" idle, "T" in a transaction, "E" in a failed one. */
  readonly ready: string | undefined;
  /** The message of a FATAL or PANIC error, which ends the server. */
  readonly fatal: string | undefined;
}

const [error, readyForQuery] = [0x45, 0x5a];

/** @param answer whole messages of the backend side of the PostgreSQL protocol (version 3) */
export function inspectAnswer(answer: Uint8Array): AnswerState {
  const view = new DataView(answer.buffer, answer.byteOffset, answer.byteLength);
  let ready: string | undefined;
  let fatal: string | undefined;
  let offset = 0;
  while (offset + 5 <= answer.length) {
    const end = offset + 1 + view.getUint32(offset + 1);
    ready = answer[offset] === readyForQuery ? String.fromCharCode(answer[offset + 5] ?? 0) : undefined;
    if (answer[offset] === error) fatal ??= fatalText(answer.subarray(offset + 5, end));
    offset = end;
  }
  return { ready, fatal };
}

/** Parses an ErrorResponse: fields of one letter, text and a zero byte. V is the severity in English, M the message. */
function fatalText(body: Uint8Array): string | undefined {
  const fields = new Map<string, string>();
  for (const field of Buffer.from(body).toString("utf8").split("\0")) fields.set(field.slice(0, 1), field.slice(1));
  const severity = fields.get("V");
  return severity === "FATAL" || severity === "PANIC" ? `${severity}: ${fields.get("M") ?? ""}` : undefined;
}
