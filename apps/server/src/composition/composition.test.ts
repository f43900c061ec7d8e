import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runDirectory } from "@sallyport/test-kit/run-directory/run-directory";
import { pino } from "pino";
import { loadConfiguration } from "../configuration/index.ts";
import { createContainer } from "./create-container.ts";
import { components } from "./components.ts";
import { startServer } from "./start-server.ts";

describe("create container", () => {
  const configuration = loadConfiguration({
    content: { databases: [{ storage: { engine: "memory" } }, { alias: "later" }] },
    environment: { ARGON2_MEMORY_COST: "8", ARGON2_TIME_COST: "1" },
  });
  const container = createContainer(configuration, pino({ enabled: false }));
  afterAll(async () => container.get(components.engines).close());

  test.each(Object.entries(components))("%s can be created, and is created once", async (_name, identifier) => {
    const made: unknown = await container.getAsync<unknown>(identifier);
    expect(made).toBeDefined();
    expect(await container.getAsync<unknown>(identifier)).toBe(made);
  });
});

describe("start server", () => {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-start-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  const environment = {
    PORT: "0",
    LOG_LEVEL: "silent",
    ARGON2_MEMORY_COST: "8",
    ARGON2_TIME_COST: "1",
    FILES_DIRECTORY: join(runDirectory(), "files"),
  };
  const unreachable = { engine: "postgres", url: "postgres://nobody@127.0.0.1:1/none" };

  const configured = (databases: object[], more: object = {}) =>
    loadConfiguration({ content: { databases, ...more }, environment });

  async function ask(url: string): Promise<{ status: number; code: string | undefined }> {
    const answer = await fetch(url);
    const body = (await answer.json()) as { status?: { internalStatus: string } };
    return { status: answer.status, code: body.status?.internalStatus };
  }

  test("an unreachable or unprepared database leaves the others working", async () => {
    const databases = [{ storage: { engine: "memory" } }, { alias: "down", storage: unreachable }, { alias: "later" }];
    const server = await startServer(configured(databases, { server: { basePath: "/api" } }));
    try {
      expect(server.url).toBe(`http://127.0.0.1:${server.address.port}/api`);
      await expect(ask(`${server.url}/_CheckService`)).resolves.toEqual({ status: 200, code: "0" });
      await expect(ask(`${server.url}/down/_CheckService`)).resolves.toEqual({ status: 500, code: "704" });
      await expect(ask(`${server.url}/later/_CheckService`)).resolves.toEqual({ status: 500, code: "705" });
      const ready = await fetch(new URL("/readyz", server.url));
      expect(ready.status).toBe(200);
      await expect(ready.json()).resolves.toMatchObject({ ready: true, databases: { "(empty)": "ok" } });
    } finally {
      await server.close();
    }
  });

  test("a server without a working database is alive, but not ready", async () => {
    const server = await startServer(configured([{ storage: unreachable }]));
    try {
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
      expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
      await expect(ask(`${server.url}/_CheckService`)).resolves.toEqual({ status: 500, code: "704" });
    } finally {
      await server.close();
    }
  });

  test("closing twice closes once, and the address is free again", async () => {
    const server = await startServer(configured([{ storage: { engine: "memory" } }]));
    await Promise.all([server.close(), server.close()]);
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow("fetch failed");
  });

  test("a port in use is reported in plain words, before any database is opened", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const configuration = loadConfiguration({
      content: { databases: [{ storage: { engine: "embedded" } }] },
      environment: { ...environment, DATA_DIR: join(folder, "untouched"), PORT: String(port) },
    });
    await expect(startServer(configuration)).rejects.toThrow(`Port ${port} on 127.0.0.1 is already in use.`);
    expect(existsSync(join(folder, "untouched"))).toBe(false);
    other.close();
  });

  test("an invalid certificate is reported in plain words, before any database is opened", async () => {
    const dataDir = join(folder, "untouched");
    const [certificateFile, keyFile] = ["certificate.pem", "key.pem"].map((name) => join(folder, name)) as [
      string,
      string,
    ];
    writeFileSync(certificateFile, "no certificate");
    writeFileSync(keyFile, "no key");
    const configuration = configured([{ storage: { engine: "embedded", dataDir } }], {
      server: { tls: { certificateFile, keyFile } },
    });
    await expect(startServer(configuration)).rejects.toThrow(
      `The certificate ${certificateFile} cannot be used with the key ${keyFile} (no start line).`,
    );
    expect(existsSync(dataDir)).toBe(false);
  });

  test.each([
    ["a file", "file", "it is a file, not a directory"],
    ["below a file", "file/below", "a part of its path is a file, not a directory"],
  ])("reports a data directory that is %s in plain words", async (_title, name, reason) => {
    writeFileSync(join(folder, "file"), "");
    const dataDir = join(folder, name);
    await expect(startServer(configured([{ storage: { engine: "embedded", dataDir } }]))).rejects.toThrow(
      `The data directory ${dataDir} cannot be used: ${reason}. Set DATA_DIR to another directory.`,
    );
  });
});
