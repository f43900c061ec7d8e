import { randomBytes, createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { jest } from "@jest/globals";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import {
  callSecurely,
  encryptFor,
  logInSecurely,
  serverKey,
  counterBlock,
  encryptMessage,
  sendMessage,
} from "../secure/secure-client.ts";
import { secureBody } from "../secure/credentials.ts";
import { post, send } from "../secure/send.ts";
import { client, storedServerKeys, stranger } from "../secure/stored-keys.ts";
import { ServerProcess } from "./server-process.ts";

describe("secure sessions", () => {
  jest.setTimeout(60_000);

  const masterKey = randomBytes(32);
  const password = "my-very-own-passphrase";
  const md5 = createHash("md5").update("demo").digest("hex");

  /** Every row of every table, as text; bytes are in hexadecimal. */
  async function dump({ sql }: PostgresFixture): Promise<string> {
    const tables =
      "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname like 'sallyport%'";
    const { rows } = await sql.query<{ name: string }>(tables);
    const contents = await Promise.all(
      rows.map(async ({ name }) => (await sql.query(`select t::text as row from ${name} t`)).rows),
    );
    return contents
      .flat()
      .map(({ row }) => String(row))
      .join("\n");
  }

  describe("secrets", () => {
    let postgres: PostgresFixture;
    let process: ServerProcess;
    beforeAll(async () => {
      postgres = await openPostgresFixture();
      const environment = {
        DATABASE_URL: postgres.url,
        PORT: "0",
        LOG_LEVEL: "trace",
        DEBUG_MESSAGES: "true",
        MASTER_KEY: masterKey.toString("base64"),
      };
      process = new ServerProcess(["serve"], environment, tmpdir());
    });
    afterAll(async () => {
      await process.kill();
      await postgres.close();
    });

    test("are neither in the log, nor in the metrics, nor in failures, nor in the database", async () => {
      const server = { url: await process.url() };
      const failures: string[] = [];
      const secrets: Record<string, string> = { masterKey: masterKey.toString("base64"), password, md5 };
      const fields = { user: "demo", pass: md5, appNames: ["demo-app"] };

      // Successful log-ins of every mode.
      secrets["session id"] = JSON.parse((await post(`${server.url}/v1/login`, fields)).text).data.sessionId;
      const token = JSON.parse((await post(`${server.url}/v2/login`, fields)).text).data.token as string;
      const [, payload = "", signature = ""] = token.split(".");
      const { jti } = JSON.parse(Buffer.from(payload, "base64url").toString());
      Object.assign(secrets, { payload, signature, jti });
      const session = await logInSecurely(server);
      Object.assign(secrets, { secureToken: session.token, symmetricKey: session.key.toString("base64") });
      const key = await serverKey(server);
      const credentials = encryptFor(key, JSON.stringify(fields)).toString("base64");
      secrets["credentials"] = credentials.slice(0, 80);

      // All failures: log-ins, replays, messages, and the server itself.
      const refused = async (path: string, body: object) => failures.push((await post(server.url + path, body)).text);
      for (const publicKey of [client.text, stranger.text, "no key"])
        await refused("/v2/login/secure", { publicKey, credentials });
      await refused("/v2/login/secure", {
        publicKey: client.text,
        credentials: encryptFor(key, JSON.stringify({ ...fields, pass: password })).toString("base64"),
      });
      await refused("/v2/login/secure", {
        publicKey: client.text,
        credentials: encryptFor(key, JSON.stringify({ ...fields, appNames: [password] })).toString("base64"),
      });
      await refused("/v2/login", { ...fields, pass: password });
      await refused("/v2/login", { aesKey: credentials, data: credentials, publicKey: client.text });
      for (const headers of [
        { authorization: token.slice(0, -1) },
        { "secure-token": session.token.slice(0, -1) },
        { sessionid: token },
      ]) {
        failures.push((await send(`${server.url}/_CheckSession`, { headers })).text);
      }
      await sendMessage(server, session, 1n);
      for (const text of ["no JSON", `{"${password}":"x","a":"${password}"}`, `["${password}"]`])
        failures.push(JSON.stringify((await sendMessage(server, session, 1n, { text })).body));
      const iv = counterBlock(session, 2n);
      const misplaced = {
        headers: { "content-type": "application/text", encrypted: `v=1;iv=${iv.toString("base64")}` },
        body: `${encryptMessage(session, iv, "{}")}*`,
      };
      failures.push(JSON.stringify((await callSecurely(server, session, "/_CheckSession", misplaced)).body));
      const contents = await dump(postgres);
      await postgres.sql.query("alter table sallyport_demo.channels rename column next_out to gone");
      failures.push((await send(`${server.url}/_CheckSession`, { headers: { "secure-token": session.token } })).text);
      await postgres.sql.query("alter table sallyport_demo.channels rename column gone to next_out");
      await postgres.sql.query("alter table sallyport_demo.sessions rename to sessions_gone");
      failures.push((await post(`${server.url}/v2/login`, fields)).text);
      await postgres.sql.query("alter table sallyport_demo.sessions_gone rename to sessions");
      await postgres.sql.query("update sallyport_demo.channels set wrapped_key = reverse(wrapped_key)");
      const broken = await send(`${server.url}/_CheckSession`, { headers: { "secure-token": session.token } });
      expect(broken.code).toBe("314");
      failures.push(broken.text);
      const metrics = await (await fetch(`${server.url}/metrics`)).text();

      process.signal("SIGTERM");
      const { stdout, stderr } = await process.ended;
      const places = { log: stdout + stderr, metrics, failures: failures.join("\n"), database: contents };
      // The searched places were not empty.
      expect(places.log).toMatch(/"code":310.*\n(.*\n)*.*"code":314/);
      expect(places.log).toContain('"level":"error"');
      expect(places.metrics).toContain('code="310"');
      expect(places.failures).toContain("The body is not base64.");
      expect(places.database).toContain("BEGIN PUBLIC KEY");
      expect(places.database).toContain(
        createHash("sha256")
          .update(secrets["session id"] as string)
          .digest("hex"),
      );

      for (const [place, text] of Object.entries(places)) {
        for (const [name, secret] of Object.entries(secrets)) {
          const spellings = [
            secret,
            Buffer.from(secret, "utf8").toString("hex"),
            Buffer.from(secret, "base64").toString("hex"),
            Buffer.from(secret).toString("base64"),
          ];
          for (const spelling of spellings)
            expect({ place, name, stands: text.includes(spelling) }).toEqual({ place, name, stands: false });
        }
        // PKCS#8 of RSA and of P-256, as PEM, base64 or bytes.
        expect({
          place,
          keys: /PRIVATE KEY|MII[EJ][a-zA-Z0-9+/]{2}IBADAN|MIGHAgEAMBMG|30820[49]\w\w02010030|308187020100/.test(text),
        }).toEqual({ place, keys: false });
      }
    });
  });

  describe("secure sessions of two server processes", () => {
    let postgres: PostgresFixture;
    let processes: ServerProcess[];
    const start = () =>
      new ServerProcess(["serve"], { DATABASE_URL: postgres.url, PORT: "0", ...storedServerKeys }, tmpdir());
    const urls = () => Promise.all(processes.map(async (each) => ({ url: await each.url() })));
    beforeAll(async () => {
      postgres = await openPostgresFixture();
      processes = [start(), start()];
      await urls();
    });
    afterAll(async () => {
      await Promise.all(processes.map((each) => each.kill()));
      await postgres.close();
    });

    test("use no counter block twice and accept no message twice, even after a kill", async () => {
      const session = await logInSecurely((await urls())[0] as { url: string });
      const used = new Set<string>();
      for (let round = 0; round < 3; round += 1) {
        const servers = await urls();
        const at = (index: number) => servers[index % 2] as { url: string };
        const numbers = Array.from({ length: 60 }, (_, index) => BigInt(60 * round + index));
        const answers = await Promise.all(numbers.map((number, index) => sendMessage(at(index), session, number)));
        const again = await Promise.all(numbers.map((number, index) => sendMessage(at(index + 1), session, number)));
        expect(new Set(answers.map(({ code }) => code))).toEqual(new Set(["0"]));
        expect(new Set(again.map(({ code }) => code))).toEqual(new Set(["312"]));
        for (const number of numbers) used.add(counterBlock(session, number).toString("hex"));
        for (const { iv } of [...answers, ...again]) used.add(iv?.toString("hex") ?? "clear");
        expect(used.size).toBe((round + 1) * 180);
        expect(used.has("clear")).toBe(false);
        await processes[round % 2]?.kill();
        processes[round % 2] = start();
      }
    });

    test("end on both at a log-out on one", async () => {
      const [one, other] = (await urls()) as [{ url: string }, { url: string }];
      const session = await logInSecurely(one);
      expect((await callSecurely(other, session, "/v1/logout", { method: "POST" })).code).toBe("0");
      for (const server of [one, other])
        expect(await callSecurely(server, session, "/_CheckSession")).toMatchObject({ code: "203", iv: null });
    });

    test("are opened once by credentials that two clients send to both at once", async () => {
      const [one, other] = (await urls()) as [{ url: string }, { url: string }];
      for (let round = 0; round < 5; round += 1) {
        const body = secureBody();
        const answers = await Promise.all([
          post(`${one.url}/v2/login/secure`, body),
          post(`${other.url}/v2/login/secure`, { ...body, publicKey: stranger.text }),
        ]);
        expect(answers.map(({ code }) => code ?? "sealed").toSorted()).toEqual(["310", "sealed"]);
      }
    });
  });
});
