import { joinBytes } from "./wire-messages.ts";

/** Client messages, split where the server must answer. */
export type WireBatch =
  /** An encryption request; in process there is none. */
  | { readonly kind: "encryption" }
  /** A request to cancel the query of another connection. */
  | { readonly kind: "cancel" }
  | { readonly kind: "startup"; readonly bytes: Uint8Array }
  /** Whole messages; `settles` means that they end in Query or Sync, and the answer in ReadyForQuery. */
  | { readonly kind: "messages"; readonly bytes: Uint8Array; readonly settles: boolean }
  | { readonly kind: "terminate" };

const requestCodes = new Map<number, "cancel" | "encryption">([
  [80877102, "cancel"],
  [80877103, "encryption"],
  [80877104, "encryption"],
]);

const [query, sync, flush, functionCall, terminate] = [0x51, 0x53, 0x48, 0x46, 0x58];
const [copyData, copyDone, copyFail] = [0x64, 0x63, 0x66];

/**
 * Buffers the frontend side of the PostgreSQL protocol (version 3) until the server must act: at each Query, Sync,
 * Flush and function call.
 *
 * COPY ... FROM STDIN would make the engine read beyond its input, which ends it. So every batch contains a CopyFail
 * where the data would be. Outside a copy, the server ignores it; inside, it answers 57014. Copy data of the client is
 * dropped.
 */
export class WireBatcher {
  #startedUp = false;
  #rest: Buffer = Buffer.alloc(0);
  #messages: Buffer[] = [];

  /** @throws {Error} when a message has an invalid length; later bytes are unreadable */
  push(chunk: Buffer): WireBatch[] {
    let data = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const batches: WireBatch[] = [];
    for (;;) {
      const prefix = this.#startedUp ? 1 : 0;
      if (data.length < prefix + 4) break;
      const end = prefix + messageLength(data, prefix);
      if (data.length < end) break;
      const batch = this.#startedUp ? this.#message(data.subarray(0, end)) : this.#opening(data.subarray(0, end));
      if (batch !== undefined) batches.push(batch);
      data = data.subarray(end);
    }
    this.#rest = data;
    return batches;
  }

  #opening(packet: Buffer): WireBatch {
    const request = packet.length >= 8 ? requestCodes.get(packet.readInt32BE(4)) : undefined;
    if (request !== undefined) return { kind: request };
    this.#startedUp = true;
    return { kind: "startup", bytes: joinBytes([packet]) };
  }

  #message(message: Buffer): WireBatch | undefined {
    switch (message[0]) {
      case terminate:
        return { kind: "terminate" };
      case copyData:
      case copyDone:
      case copyFail:
        return undefined;
      case query:
        return this.#batch([message, noCopySource], true);
      case sync:
        return this.#batch([noCopySource, message], true);
      case functionCall:
        return this.#batch([message], true);
      case flush:
        return this.#batch([noCopySource, message], false);
      default:
        this.#messages.push(message);
        return undefined;
    }
  }

  #batch(last: Buffer[], settles: boolean): WireBatch {
    const bytes = joinBytes([...this.#messages, ...last]);
    this.#messages = [];
    return { kind: "messages", bytes, settles };
  }
}

const noCopySource = ((): Buffer => {
  const reason = Buffer.from("No source stream defined\0");
  const header = Buffer.alloc(5);
  header[0] = copyFail;
  header.writeInt32BE(4 + reason.length, 1);
  return Buffer.concat([header, reason]);
})();

function messageLength(data: Buffer, offset: number): number {
  const length = data.readInt32BE(offset);
  if (length < 4) throw new Error(`a message of ${length} bytes is not one of the PostgreSQL protocol`);
  return length;
}
