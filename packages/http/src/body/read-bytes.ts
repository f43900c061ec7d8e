import type { IncomingMessage } from "node:http";
import { ServiceError } from "@sallyport/core";

/** Bytes that are still read and thrown away after the limit, so that the client gets to read its answer. */
const drainedAtMost = 8 * 1024 * 1024;

/** The whole body. More than `limit` bytes: 801; a client that goes away, or a signal, whose reason is a text: 699. */
export function readBytes(request: IncomingMessage, limit: number, signal?: AbortSignal): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limit) chunks.push(chunk);
      else chunks.length = 0;
      if (length > drainedAtMost) settle(() => reject(tooLarge()));
    };
    const onEnd = () => settle(() => (length > limit ? reject(tooLarge()) : resolve(oneBuffer(chunks, length))));
    const onFailure = () => settle(() => reject(endedEarly()));
    const onSignal = () => settle(() => reject(new ServiceError(699, { detail: String(signal?.reason) })));
    const settle = (outcome: () => void) => {
      request.off("data", onData).off("end", onEnd).off("error", onFailure).off("close", onFailure);
      signal?.removeEventListener("abort", onSignal);
      if (!request.readableEnded) request.pause();
      outcome();
    };
    request.on("data", onData).on("end", onEnd).on("error", onFailure).on("close", onFailure);
    signal?.addEventListener("abort", onSignal);
    // Whoever went away before anybody listened does not do so again.
    if (request.destroyed) onFailure();
    else if (signal?.aborted === true) onSignal();
  });
}

function oneBuffer(chunks: Buffer[], length: number): Buffer {
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, length);
}

function tooLarge(): ServiceError {
  return new ServiceError(801);
}

function endedEarly(): ServiceError {
  return new ServiceError(699, { detail: "The body ended early." });
}
