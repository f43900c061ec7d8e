import { once } from "node:events";
import { get } from "node:http";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** The cost of a flood for a server and its other clients. */
export interface FloodFigures {
  /** Resident memory before, and its maximum, in MiB. */
  readonly before: number;
  readonly largest: number;
  /** Milliseconds for 99 of 100 requests of another client, and for the slowest. */
  readonly p99: number;
  readonly slowest: number;
  readonly requests: number;
}

/** An answer to a client on another network: Linux assigns every address of 127.0.0.0/8 to the local machine. */
function ask(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { localAddress: "127.0.0.2", agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      response.on("end", () => resolve(text)).on("error", reject);
    }).on("error", reject);
  });
}

/** Memory of a server from its metrics, in MiB. */
export async function memoryOf(url: string): Promise<number> {
  const text = await ask(`${url}/metrics`);
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1]) / 1024 ** 2;
}

/** Runs a flood while another client sends requests, and prints the figures. */
export async function watchFlood(title: string, url: string, flood: () => Promise<unknown>): Promise<FloodFigures> {
  const before = await memoryOf(url);
  let largest = before;
  const over = new AbortController();
  const times: number[] = [];
  const watcher = async () => {
    while (!over.signal.aborted) {
      const began = performance.now();
      await ask(`${url}/_CheckService`);
      times.push(performance.now() - began);
      if (times.length % 5 === 0) largest = Math.max(largest, await memoryOf(url));
      await pause(5);
    }
  };
  const watching = watcher();
  await flood().finally(() => over.abort());
  await watching;
  largest = Math.max(largest, await memoryOf(url));
  const sorted = times.toSorted((a, b) => a - b);
  const p99 = sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0;
  const figures = { before, largest, p99, slowest: sorted.at(-1) ?? 0, requests: sorted.length };
  const whole = Math.round;
  process.stdout.write(
    `${title}: memory ${whole(before)} → ${whole(largest)} MiB; ` +
      `${figures.requests} requests of others, p99 ${whole(p99)} ms, slowest ${whole(figures.slowest)} ms\n`,
  );
  return figures;
}

/** Writes bytes on a connection until all are written or the server closes it; resolves with the answer. */
export function sendAll(url: string, pieces: Iterable<string | Buffer>): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let answer = "";
    const socket: Socket = connect(Number(port), hostname, async () => {
      for (const piece of pieces) {
        if (socket.destroyed) return;
        if (!socket.write(piece)) await Promise.race([once(socket, "drain"), once(socket, "close")]).catch(() => {});
      }
    });
    socket.setEncoding("utf8").on("data", (text: string) => {
      answer += text;
    });
    socket
      .on("error", () => {})
      .on("close", () => resolve(answer))
      .setTimeout(60_000, () => socket.destroy());
  });
}
