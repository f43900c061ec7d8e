import http from "node:http";
import { TcpRelay } from "../../../../packages/storage-knex/test/tcp-relay.ts";
import type { RunningServer } from "../../src/index.ts";
import { appKey } from "../cases/run-cases.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import {
  callSecurely,
  counterBlock,
  demoFields,
  encryptMessage,
  logInSecurely,
  openSecurely,
  type SecureAnswer,
  type SecureSession,
  sendMessage,
} from "../secure-client.ts";
import { storedServerKeys } from "./stored-keys.ts";

describe("a secure session", () => {
  let postgres: PostgresFixture;
  let relay: TcpRelay;
  let server: RunningServer;
  let start: (bodyTimeout?: string) => Promise<RunningServer>;
  beforeAll(async () => {
    postgres = await openPostgresFixture();
    await (await postgres.demo(storedServerKeys)).close();
    relay = new TcpRelay(new URL(postgres.url));
    await relay.listen();
    const storage = { engine: "postgres", url: relay.url, schema: "sallyport_demo" };
    const databases = [{ alias: "", name: "demo", storage }];
    start = (body = "60s") =>
      postgres.configured({ server: { timeouts: { body } }, sessions: { perDevice: 1 }, databases }, storedServerKeys);
    server = await start();
  }, 60_000);
  afterAll(async () => {
    await relay.refuse();
    await postgres.close();
  });

  /** Begins a message, does something while the server waits for the rest, and sends that unless it is too late. */
  async function inTheMiddle(
    session: SecureSession,
    number: bigint,
    meanwhile: () => Promise<unknown>,
    at = server,
  ): Promise<SecureAnswer> {
    const iv = counterBlock(session, number);
    const body = encryptMessage(session, iv, '{"some":"message"}');
    const headers = {
      appkey: appKey,
      "secure-token": session.token,
      "content-type": "application/text",
      "content-length": body.length,
      encrypted: `v=1;iv=${iv.toString("base64")}`,
    };
    const answered = new Promise<SecureAnswer>((resolve, reject) => {
      const request = http.request(`${at.url}/_CheckSession`, { headers }, (answer) => {
        let text = "";
        answer.setEncoding("utf8").on("data", (part: string) => (text += part));
        answer.on("end", () =>
          resolve(openSecurely(session, { status: answer.statusCode ?? 0, headers: answer.headers, text })),
        );
      });
      request.on("error", reject).write(body.slice(0, 5));
      void awaited(1, at)
        .then(meanwhile)
        .then(() => request.end(body.slice(5)), reject);
    });
    const answer = await answered;
    await awaited(0, at);
    return answer;
  }

  /** Resolves when the server waits for so many bodies. */
  async function awaited(count: number, at: RunningServer): Promise<void> {
    let text = "";
    while (!text.includes(`sallyport_bodies_awaited ${count}\n`))
      text = await (await fetch(`${at.url}/metrics`)).text();
  }

  test("that is ended while a message is on its way answers it encrypted", async () => {
    const session = await logInSecurely(server);
    const answer = await inTheMiddle(session, 0n, () =>
      callSecurely(server, session, "/v1/logout", { method: "POST" }),
    );
    expect(answer).toMatchObject({ status: 401, code: "203", iv: expect.any(Buffer) });
    expect(await sendMessage(server, session, 1n)).toMatchObject({ code: "203", iv: null });
  });

  test("that is replaced while a message is on its way answers it encrypted, under its own key", async () => {
    const fields = { ...demoFields, device: { deviceId: "tablet" } };
    const session = await logInSecurely(server, fields);
    let next: SecureSession | undefined;
    const answer = await inTheMiddle(session, 0n, async () => {
      next = await logInSecurely(server, fields);
    });
    expect(answer).toMatchObject({ status: 401, code: "203", iv: expect.any(Buffer) });
    expect((await sendMessage(server, next as SecureSession, 0n)).code).toBe("0");
  });

  test("whose time ends while a message is on its way has been admitted with it", async () => {
    const session = await logInSecurely(server);
    const answer = await inTheMiddle(session, 0n, () =>
      postgres.sql.query("update sallyport_demo.sessions set expires_at = now() - interval '1 ms'"),
    );
    expect(answer).toMatchObject({ code: "0", iv: expect.any(Buffer) });
    expect(await sendMessage(server, session, 1n)).toMatchObject({ code: "203", iv: null });
  });

  test("whose database goes away while a message is on its way answers encrypted, and goes on afterwards", async () => {
    const session = await logInSecurely(server);
    const answer = await inTheMiddle(session, 0n, () => relay.refuse());
    expect(answer).toMatchObject({ status: 500, code: "704", iv: expect.any(Buffer) });
    expect(await callSecurely(server, session, "/_CheckSession")).toMatchObject({ status: 500, code: "704", iv: null });
    await relay.listen();
    const after = await sendMessage(server, session, 1n);
    expect(after).toMatchObject({ code: "0", iv: expect.any(Buffer) });
    expect(after.iv).not.toEqual(answer.iv);
  });

  test("whose message never comes answers encrypted", async () => {
    const session = await logInSecurely(server);
    const impatient = await start("200ms");
    const answer = await inTheMiddle(session, 0n, () => awaited(0, impatient), impatient);
    expect(answer).toMatchObject({ status: 400, code: "699", iv: expect.any(Buffer) });
    expect((await sendMessage(server, session, 0n)).code).toBe("0");
  });

  test("outlives its server, and neither direction begins anew", async () => {
    const session = await logInSecurely(server);
    const before = await sendMessage(server, session, 3n);
    await server.close();
    server = await start();
    const after = [await sendMessage(server, session, 3n), await sendMessage(server, session, 4n)];
    expect([before, ...after].map(({ code }) => code)).toEqual(["0", "312", "0"]);
    expect(new Set([before, ...after].map(({ iv }) => iv?.toString("hex"))).size).toBe(3);
  });
});
