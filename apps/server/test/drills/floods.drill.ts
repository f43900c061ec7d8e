import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { call } from "../client.ts";
import { ServerProcess } from "../processes/server-process.ts";
import { memoryOf, sendAll, watchFlood } from "./flood-watch.ts";

/** The head of a log-in with a chunked body. */
const chunkedLogIn =
  "POST /v1/login HTTP/1.1\r\nHost: localhost\r\nappkey: demo-app-key\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";

describe("floods from one address", () => {
  let directory: string;
  let server: ServerProcess;
  let url: string;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "sallyport-"));
    server = new ServerProcess(["serve"], { PORT: "0", DATA_DIR: directory, LOG_LEVEL: "info" }, directory);
    url = await server.url();
  });
  afterAll(async () => {
    await server.kill();
    rmSync(directory, { recursive: true, force: true });
  });

  test("100 MiB of one-byte chunks keep memory bounded and other clients fast", async () => {
    const chunks = Buffer.from("1\r\n{\r\n".repeat(4_000));
    const oneBody = () => [chunkedLogIn, ...Array<Buffer>(16).fill(chunks), "0\r\n\r\n"];
    let written = 0;
    const client = async () => {
      while (written < 100 * 1024 ** 2) {
        written += 16 * chunks.length;
        await sendAll(url, oneBody());
      }
    };
    const figures = await watchFlood("one-byte chunks", url, () => Promise.all(Array.from({ length: 100 }, client)));
    expect(figures.largest - figures.before).toBeLessThan(64);
    expect(figures.p99).toBeLessThan(200);
  });

  /** Logs in and creates 16 objects of 900 kB. */
  async function largeObjects(): Promise<{ readonly sessionId: string; readonly City: string }> {
    const log = await call({ url }, "/v1/login", {
      method: "POST",
      body: { user: "demo", pass: "demo", appNames: ["demo-app"] },
    });
    const sessionId = log.body.data.sessionId as string;
    const City = crypto.randomUUID();
    for (let count = 0; count < 16; count += 1) {
      await call({ url }, "/v1/object/Customer", {
        method: "POST",
        sessionId,
        body: { Name: "x".repeat(900_000), City },
      });
    }
    return { sessionId, City };
  }

  test("a text search that times out does not block others", async () => {
    const { sessionId, City } = await largeObjects();
    const conditions = Array.from({ length: 180 }, (_, n) => ({ Name: { $contains: `x${n}` } }));
    const search = encodeURIComponent(JSON.stringify({ where: { City, $or: conditions } }));
    const began = performance.now();
    const slow = call({ url }, `/v1/objects/Customer?query=${search}`, { sessionId });
    const others = await Promise.all(
      Array.from({ length: 12 }, () => call({ url }, "/v1/objects/Customer?perPage=1", { sessionId })),
    );
    const seconds = (performance.now() - began) / 1_000;
    const { code } = await slow;
    process.stdout.write(
      `slow search: answered ${code}, 12 others within ${seconds.toFixed(1)} s with ${[...new Set(others.map((each) => each.code))].join()}\n`,
    );
    expect(others.map((each) => each.code)).toEqual(Array<string>(12).fill("0"));
    expect(seconds).toBeLessThan(10);
  });

  test("large unread answers are cut off, and other clients stay fast", async () => {
    const { sessionId, City } = await largeObjects();
    const query = encodeURIComponent(JSON.stringify({ where: { City } }));
    const head = `GET /v1/objects/Customer?query=${query} HTTP/1.1\r\nHost: localhost\r\nappkey: demo-app-key\r\nsessionid: ${sessionId}\r\n\r\n`;
    const { hostname, port } = new URL(url);
    const sockets: Socket[] = [];
    const figures = await watchFlood("unread answers", url, async () => {
      for (let count = 0; count < 100; count += 1)
        sockets.push(
          connect(Number(port), hostname, function send(this: Socket) {
            this.pause().write(head);
          }).on("error", () => {}),
        );
      // Until the server cuts idle readers off.
      await pause(30_000);
    });
    const untaken = Number(
      /^sallyport_send_buffer_bytes (\d+)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1],
    );
    for (const socket of sockets) socket.destroy();
    process.stdout.write(
      `unread answers: ${Math.round(untaken / 1024 ** 2)} MiB were left after 30 s, memory ${Math.round(await memoryOf(url))} MiB\n`,
    );
    expect(untaken).toBe(0);
    expect(figures.largest - figures.before).toBeLessThan(400);
    expect(figures.p99).toBeLessThan(1_000);
  });

  test("endless chunks of a refused request end the connection", async () => {
    const chunk = Buffer.concat([Buffer.from("10000\r\n"), Buffer.alloc(65_536, 32), Buffer.from("\r\n")]);
    let taken = 0;
    function* endless() {
      yield "POST /nothing HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
      for (let count = 0; count < 6_400; count += 1) {
        taken += chunk.length;
        yield chunk;
      }
    }
    const figures = await watchFlood("endless chunks", url, () => sendAll(url, endless()));
    process.stdout.write(
      `endless chunks: ${Math.round(taken / 1024 ** 2)} MiB were written before the connection was cut\n`,
    );
    expect(taken).toBeLessThan(24 * 1024 ** 2);
    expect(figures.p99).toBeLessThan(200);
  });
});
