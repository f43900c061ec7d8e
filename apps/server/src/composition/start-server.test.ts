import { createServer } from "node:net";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { loadConfiguration } from "../configuration/index.ts";
import { startServer } from "./start-server.ts";

const environment = { PORT: "0", LOG_LEVEL: "silent", ARGON2_MEMORY_COST: "8", ARGON2_TIME_COST: "1" };
const unreachable = { engine: "postgres", url: "postgres://nobody@127.0.0.1:1/none" };

const configured = (databases: object[], more: object = {}) => loadConfiguration({ content: { databases, ...more }, environment });

async function ask(url: string): Promise<{ status: number; code: string | undefined }> {
  const answer = await fetch(url);
  const body = (await answer.json()) as { status?: { internalStatus: string } };
  return { status: answer.status, code: body.status?.internalStatus };
}

test("a database that is down, and one that is not set up, leave the others working", async () => {
  const databases = [{ storage: { engine: "memory" } }, { alias: "down", storage: unreachable }, { alias: "later" }];
  const server = await startServer(configured(databases, { server: { basePath: "/api" } }));
  try {
    expect(server.url).toBe(`http://127.0.0.1:${server.address.port}/api`);
    await expect(ask(`${server.url}/_CheckService`)).resolves.toEqual({ status: 200, code: "0" });
    await expect(ask(`${server.url}/down/_CheckService`)).resolves.toEqual({ status: 500, code: "704" });
    await expect(ask(`${server.url}/later/_CheckService`)).resolves.toEqual({ status: 500, code: "705" });
    const ready = await fetch(new URL("/readyz", server.url));
    expect(ready.status).toBe(200);
    await expect(ready.json()).resolves.toMatchObject({ ready: true, databases: { "/": "ok" } });
  } finally {
    await server.close();
  }
});

test("a server without a database that works is alive, but not ready", async () => {
  const server = await startServer(configured([{ storage: unreachable }]));
  try {
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
    await expect(ask(`${server.url}/_CheckService`)).resolves.toEqual({ status: 500, code: "704" });
  } finally {
    await server.close();
  }
});

test("closing twice is closing once, and the address is free again", async () => {
  const server = await startServer(configured([{ storage: { engine: "memory" } }]));
  await Promise.all([server.close(), server.close()]);
  await expect(fetch(`${server.url}/healthz`)).rejects.toThrow("fetch failed");
});

test("a port in use is told in plain words", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  const configuration = loadConfiguration({
    content: { databases: [{ storage: { engine: "memory" } }] },
    environment: { ...environment, PORT: String(port) },
  });
  await expect(startServer(configuration)).rejects.toThrow(`Port ${port} of 127.0.0.1 is in use.`);
  other.close();
});
