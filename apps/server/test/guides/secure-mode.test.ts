import { execFile, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import type { RunningServer } from "../../src/index.ts";
import { logOut, tryLogIn } from "../client.ts";
import { chromium, HeadlessBrowser } from "../pages/headless-browser.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";

describe("secure mode guide", () => {
  const folder = resolve(import.meta.dirname, "../../../../docs/guides/secure-mode");
  const client = (name: string) => readFileSync(join(folder, name), "utf8");
  const run = promisify(execFile);

  const works = (program: string, ...args: string[]) => spawnSync(program, args, { stdio: "ignore" }).status === 0;
  /** The clients that are programs, with their requirements and whether this machine meets them. */
  const programs = [
    { file: "client.mjs", program: process.execPath, needs: "Node", has: true },
    {
      file: "client.sh",
      program: "bash",
      needs: "bash, curl, OpenSSL 3",
      has:
        ["bash", "curl"].every((name) => works(name, "--version")) &&
        works("bash", "-c", "openssl version | grep -q '^OpenSSL 3'"),
    },
    {
      file: "client.py",
      program: "python3",
      needs: "Python with cryptography",
      has: works("python3", "-c", "import cryptography"),
    },
  ];

  describe("clients of the page", () => {
    let postgres: PostgresFixture;
    let server: RunningServer;
    let page: Server;
    let origin: string;
    beforeAll(async () => {
      postgres = await openPostgresFixture();
      server = await postgres.demo({ SESSION_PER_USER_LIMIT: "1" });
      page = createServer((_request, response) => {
        response.setHeader("Content-Type", "text/html; charset=utf-8");
        response.end(client("client.html"));
      }).listen(0, "127.0.0.1");
      await once(page, "listening");
      origin = `http://127.0.0.1:${(page.address() as AddressInfo).port}`;
      const appKeys = server.databases.get("")?.storage.repositories.appKeys;
      const digestOf = (key: string) => createHash("sha256").update(key).digest("hex");
      await appKeys?.create({ name: "page", appNames: ["demo-app"], origins: [origin] }, digestOf("key of the page"));
      await appKeys?.create(
        { name: "other page", appNames: ["demo-app"], origins: ["http://127.0.0.1:1"] },
        digestOf("key of another page"),
      );
    }, 60_000);
    afterAll(async () => {
      page.close();
      await postgres.close();
    });

    const sessions = () => server.databases.get("")?.storage.repositories.sessions.count();
    /** A list of two customers, then the answer to the log-out; no session is left. */
    const expectEnvelopes = async (output: string) => {
      const [list, end, ...more] = output
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      expect(list).toMatchObject({ status: { internalStatus: "0" }, data: { "~Count": 200 } });
      expect(list.data["~Elements"]).toHaveLength(2);
      expect(end).toEqual({ status: { internalStatus: "0", statusMessage: "ok" }, data: {} });
      expect(more).toEqual([]);
      expect(await sessions()).toBe(0);
    };

    for (const { file, program, needs, has } of programs) {
      if (!has) test(`${file} requires ${needs}, which this machine lacks`, () => expect(has).toBe(false));
      else {
        test(`${file} runs as printed`, async () => {
          const { stdout, stderr } = await run(program, [join(folder, file), server.url]);
          expect(stderr).toBe("");
          await expectEnvelopes(stdout);
        }, 30_000);
        test(`${file} shows why a log-in is refused`, async () => {
          const { body } = await tryLogIn(server, "demo");
          const ending = run(program, [join(folder, file), server.url]);
          await expect(ending).rejects.toMatchObject({
            stderr: expect.stringContaining('{"status":{"internalStatus":"315"'),
          });
          await logOut(server, body.data.sessionId);
        }, 30_000);
      }
    }

    if (chromium === undefined)
      test("client.html requires Chromium, which this machine lacks", () => expect(chromium).toBeUndefined());
    else {
      test("client.html runs as printed, from an origin that its app key lists", async () => {
        const browser = new HeadlessBrowser(chromium as string);
        try {
          const fields = { server: server.url, appKey: "key of the page", user: "demo", pass: "demo" };
          await expectEnvelopes(String(await browser.evaluate(origin, fillIn(fields))));
          const refused = String(await browser.evaluate(origin, fillIn({ ...fields, pass: "wrong" })));
          expect(refused).toMatch(/^Error: \{"status":\{"internalStatus":"302"/);
          const unlisted = String(await browser.evaluate(origin, fillIn({ ...fields, appKey: "key of another page" })));
          expect(unlisted).toBe("TypeError: Failed to fetch");
        } finally {
          await browser.close();
        }
      }, 60_000);
    }
  });

  /** Fills in the form of the page, sends it, and waits for both envelopes or an error. */
  function fillIn(fields: Readonly<Record<string, string>>): string {
    return `new Promise((resolve) => {
    const output = document.querySelector("pre");
    new MutationObserver(() => {
      const { textContent } = output;
      if (textContent.includes("\\n") || textContent.includes("Error: ")) resolve(textContent);
    }).observe(output, { childList: true });
    const form = document.querySelector("form");
    for (const [name, value] of Object.entries(${JSON.stringify(fields)})) form.elements[name].value = value;
    form.requestSubmit();
  })`;
  }
});
