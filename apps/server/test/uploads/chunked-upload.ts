import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { call } from "../client.ts";
import { appKey, type Subject } from "../subject.ts";

const digest = (algorithm: "md5" | "sha256", bytes: Buffer) => createHash(algorithm).update(bytes).digest("hex");

interface State {
  readonly size: number;
  readonly hash: string;
  readonly ranges: readonly { readonly first: number; readonly last: number }[];
}

/** An upload of random bytes in chunks of equal size, and the chunks that a server has acknowledged. */
export class ChunkedUpload {
  private readonly content: Buffer;
  private readonly acknowledged = new Set<number>();
  private path = "";

  constructor(
    private readonly sessionId: string,
    private readonly chunks: number,
    private readonly chunkSize: number,
  ) {
    this.content = randomBytes(chunks * chunkSize);
  }

  async begin(server: Subject): Promise<void> {
    const { body } = await call(server, "/v1/uploadFile", { sessionId: this.sessionId });
    this.path = `/v1/uploadFile/${body.data.uploadId}`;
  }

  /** The chunks that no server has acknowledged. */
  get missing(): number[] {
    return Array.from({ length: this.chunks }, (_, index) => index).filter((index) => !this.acknowledged.has(index));
  }

  /** Sends a chunk and returns the code of the answer; `null` if there is none. */
  async send({ url }: Subject, chunk: number): Promise<string | null> {
    try {
      const { headers, bytes } = this.messageOf(chunk);
      const answer = await fetch(url + this.path, { method: "PATCH", headers, body: new Uint8Array(bytes) });
      const { status } = (await answer.json()) as { status: { internalStatus: string } };
      if (status.internalStatus === "0") this.acknowledged.add(chunk);
      return status.internalStatus;
    } catch {
      return null;
    }
  }

  /**
   * Sends the chunks from one on over one connection and destroys it after this many bytes. Chunks whose answers arrive
   * are acknowledged.
   */
  async sendUntilDeath({ url }: Subject, from: number, bytes: number): Promise<void> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname).on("error", () => {});
    let rest = bytes;
    for (let chunk = from; chunk < this.chunks; chunk += 1) {
      const { headers, bytes: body } = this.messageOf(chunk);
      const lines = Object.entries({ Host: "localhost", ...headers, "Content-Length": body.length });
      const head = `PATCH ${this.path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
      const message = Buffer.concat([Buffer.from(head), body]).subarray(0, rest);
      rest -= message.length;
      await new Promise<unknown>((written) => {
        socket.write(message, written);
      });
      if (rest === 0 || !(await answersSuccess(socket))) break;
      this.acknowledged.add(chunk);
    }
    socket.destroy();
  }

  /** The state of the upload. Throws if the server has lost acknowledged bytes, or has others. */
  async checkedState(server: Subject): Promise<State> {
    const { body } = await call(server, this.path, { sessionId: this.sessionId });
    const { size, hash, ranges } = body.data as State;
    if (hash !== digest("md5", this.content.subarray(0, size))) throw new Error(`The first ${size} bytes are others.`);
    for (const chunk of this.acknowledged) {
      const { first, last } = this.rangeOf(chunk);
      if (!ranges.some((range) => range.first <= first && last <= range.last))
        throw new Error(`The acknowledged bytes ${first}-${last} are lost: ${JSON.stringify(ranges)}`);
    }
    return { size, hash, ranges };
  }

  /** Sends what is missing, finishes the upload and reads the file. Throws if it has other bytes. */
  async finish(server: Subject): Promise<void> {
    for (const chunk of this.missing) await this.sendUntilTaken(() => server, chunk);
    const { body } = await this.finished(server);
    const { Sha256: stored, "~ObjectID": id } = body.data ?? {};
    const headers = { appkey: appKey, sessionid: this.sessionId };
    const file = Buffer.from(await (await fetch(`${server.url}/v1/file/${id}`, { headers })).arrayBuffer());
    if (stored !== digest("sha256", this.content) || !file.equals(this.content))
      throw new Error(`The file has other bytes: ${JSON.stringify(body)}`);
  }

  /**
   * The answer to the end of the upload. On a starved machine, the lease of the request itself can run out: 606, and
   * nothing is done.
   */
  private async finished(server: Subject): ReturnType<typeof call> {
    for (;;) {
      const answer = await call(server, this.path, { method: "PATCH", sessionId: this.sessionId });
      if (answer.code !== "606") return answer;
      await pause(50);
    }
  }

  /** Sends a chunk until it is acknowledged. Returns `performance.now()` of the last refusal because of another writer, or 0. */
  async sendUntilTaken(server: () => Subject, chunk: number): Promise<number> {
    let refusedAt = 0;
    for (;;) {
      const sentAt = performance.now();
      const code = await this.send(server(), chunk);
      if (code === "0") return refusedAt;
      if (code === "606") refusedAt = sentAt;
      else if (code !== null) throw new Error(`A chunk was answered ${code}.`);
      await pause(50);
    }
  }

  private messageOf(chunk: number) {
    const { first, last } = this.rangeOf(chunk);
    const headers = {
      appkey: appKey,
      sessionid: this.sessionId,
      "Content-Type": "application/octet-stream",
      "Content-Range": `bytes ${first}-${last}/${this.content.length}`,
    };
    return { headers, bytes: this.content.subarray(first, last + 1) };
  }

  private rangeOf(chunk: number) {
    return { first: chunk * this.chunkSize, last: (chunk + 1) * this.chunkSize - 1 };
  }
}

/** Whether the next answer on a connection is a success. */
async function answersSuccess(socket: Socket): Promise<boolean> {
  const answered = once(socket, "data").then(([answer]) => (answer as Buffer).includes('"internalStatus":"0"'));
  const closed = once(socket, "close").then(() => false);
  return Promise.race([answered, closed]).catch(() => false);
}
