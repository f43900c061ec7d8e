import { createHash, type Hash } from "node:crypto";
import { parentPort, workerData } from "node:worker_threads";
import { HashRing, type HashRequest, operations, type RingMemory } from "./hash-ring.ts";

// Thread for digests of uploads. It blocks until requests arrive in the ring, and answers with messages.

if (parentPort === null) throw new Error("this module runs as a worker thread");
const port = parentPort;

/** The digests of a stream in hex digits, or `null`: there is room in the ring. */
export type HashReply = { readonly number: number; readonly sha256: string; readonly md5: string | null } | null;

interface HashStream {
  readonly sha256: Hash;
  readonly md5: Hash | null;
}

const streams = new Map<number, HashStream>();

function take({ operation, stream, value, target }: HashRequest, parts: readonly Uint8Array[]): void {
  if (operation === operations.open) {
    streams.set(stream, { sha256: createHash("sha256"), md5: value === 1 ? createHash("md5") : null });
    return;
  }
  const { sha256, md5 } = streams.get(stream) as HashStream;
  switch (operation) {
    case operations.update:
      for (const part of parts) {
        sha256.update(part);
        md5?.update(part);
      }
      return;
    case operations.copy:
      streams.set(target, { sha256: sha256.copy(), md5: value === 1 ? (md5?.copy() ?? null) : null });
      return;
    case operations.digest: {
      const reply = { sha256: sha256.copy().digest("hex"), md5: md5?.copy().digest("hex") ?? null };
      port.postMessage({ number: value, ...reply } satisfies HashReply, []);
      return;
    }
    case operations.close:
      streams.delete(stream);
  }
}

const ring = new HashRing(workerData as RingMemory);
for (;;) {
  ring.next(take);
  if (ring.hasRoomForWaiting()) port.postMessage(null, []);
}
