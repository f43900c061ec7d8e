import { createPublicKey, generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import request from "supertest";
import { appKey } from "../cases/run-cases.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import {
  callSecurely,
  clientPublicKey,
  demoFields,
  encryptFor,
  logInSecurely,
  postSecureLogIn,
  serverKey,
} from "../secure/secure-client.ts";
import { runCommand, runOperator } from "./run-command.ts";
import { type Ended, ServerProcess } from "./server-process.ts";

describe("key rotation", () => {
  jest.setTimeout(60_000);

  const masterKey = randomBytes(32).toString("base64");
  const folder = mkdtempSync(join(tmpdir(), "sallyport-keys-"));
  let postgres: PostgresFixture;
  let server: ServerProcess;
  let subject: { url: string };

  beforeAll(async () => {
    postgres = await openPostgresFixture();
    server = new ServerProcess(["serve"], { ...environment(), PORT: "0" }, folder);
    subject = { url: await server.url() };
  });
  afterAll(async () => {
    await server.kill();
    await postgres.close();
    rmSync(folder, { recursive: true });
  });

  const environment = () => ({ DATABASE_URL: postgres.url, MASTER_KEY: masterKey });

  function run(line: string, more: Record<string, string> = {}): Promise<Ended> {
    return runCommand(line.split(" "), { ...environment(), ...more }, folder);
  }

  function operate(line: string, more: Record<string, string> = {}): Promise<Ended> {
    return runOperator(line.split(" "), { ...environment(), ...more }, folder);
  }

  async function json(line: string, more: Record<string, string> = {}) {
    const { code, stdout, stderr } = await operate(line, more);
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout);
  }

  const tokenOf = async (alias = ""): Promise<string> => {
    const { body } = await request(subject.url)
      .post(`${alias}/v2/login`)
      .set("appkey", appKey)
      .send({ user: "demo", pass: "demo", appNames: "demo-app" });
    return body.data.token;
  };
  const checked = async (token: string, alias = ""): Promise<string> => {
    const { body } = await request(subject.url)
      .get(`${alias}/_CheckSession`)
      .set({ appkey: appKey, authorization: token })
      .ok(() => true);
    return body.status.internalStatus;
  };
  const keyIdOf = (token: string): string =>
    JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString()).kid;

  test("the keys of all databases are rotated while a server runs, which accepts both and ends no session", async () => {
    const token = await tokenOf();
    const ofSecond = await tokenOf("/second");
    const rotated = (await json("--all key rotate jwt --json")) as { alias: string; data: { keyId: string } }[];
    const rotatedIn = (alias: string, before: string) => ({ alias, data: { keyId: expect.any(String), before } });
    expect(rotated).toEqual([rotatedIn("", keyIdOf(token)), rotatedIn("second", keyIdOf(ofSecond))]);
    const [, former] = (await json("key list --json")).filter(({ kind }: { kind: string }) => kind === "jwt");
    const hours = (Date.parse(former.acceptedUntil) - Date.now()) / 3_600_000;
    expect(Math.round(hours)).toBe(24);

    const [after, afterInSecond] = [await tokenOf(), await tokenOf("/second")];
    expect([keyIdOf(after), keyIdOf(afterInSecond)]).toEqual(rotated.map(({ data }) => data.keyId));
    expect(
      await Promise.all([
        checked(token),
        checked(after),
        checked(ofSecond, "/second"),
        checked(afterInSecond, "/second"),
      ]),
    ).toEqual(["0", "0", "0", "0"]);
  });

  test("a secure session continues, and a log-in encrypted for the previous key is accepted", async () => {
    const session = await logInSecurely(subject);
    const before = await serverKey(subject);
    const first = /^The current rsa key is [\w-]{43}\.\n$/;
    const inSecond = await operate("--alias second key rotate rsa");
    expect(inSecond).toMatchObject({ code: 0, stdout: expect.stringMatching(first) });
    expect(await serverKey(subject)).toBe(before);

    const { keyId } = await json("key rotate rsa --json");
    const now = await serverKey(subject);
    expect(now).not.toBe(before);
    expect(createPublicKey(now).asymmetricKeyDetails?.modulusLength).toBe(2048);
    expect(await callSecurely(subject, session, "/_CheckSession")).toMatchObject({ code: "0" });
    const credentials = encryptFor(before, JSON.stringify(demoFields)).toString("base64");
    expect((await postSecureLogIn(subject, { credentials, publicKey: clientPublicKey })).headers.get("encrypted")).toBe(
      "v=1",
    );
    expect(await callSecurely(subject, await logInSecurely(subject), "/_CheckSession")).toMatchObject({ code: "0" });
    expect((await json("key list --json"))[0]).toMatchObject({ kind: "rsa", keyId, acceptedUntil: null });
  });

  test("the list shows accepted keys, and no secrets", async () => {
    await tokenOf();
    await json("key rotate jwt --json");
    const listed = await json("key list --json");
    const { stdout } = await operate("key list");
    expect(stdout).toMatch(/^KEY +KIND +ACCEPTED UNTIL.*\n(?:\S+ +rsa .*\n)+(?:\S+ +jwt .*\n)+/);
    for (const { kind, keyId, createdAt, acceptedUntil, sessions, ...rest } of listed) {
      expect(rest).toEqual({});
      expect([typeof createdAt, acceptedUntil === null || typeof acceptedUntil === "string"]).toEqual(["string", true]);
      expect(sessions === null || typeof sessions === "number").toBe(true);
      expect(stdout).toMatch(new RegExp(`^${keyId} +${kind} +${acceptedUntil === null ? "current" : "\\S"}`, "m"));
    }
  });

  test("a key file supplies the next key, once", async () => {
    const file = join(folder, "jwt.pem");
    const write = () => {
      const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
      writeFileSync(file, privateKey.export({ type: "pkcs8", format: "pem" }));
    };
    write();
    const rotate = () => operate("--alias second key rotate jwt", { JWT_KEY_FILE: file });
    expect((await rotate()).code).toBe(0);
    expect(await rotate()).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("The key of the configuration is already the current one."),
    });
    expect((await operate("--alias second key rotate jwt")).code).toBe(0);
    expect((await rotate()).stderr).toContain("was rotated out and cannot be used again");
    write();
    expect((await rotate()).code).toBe(0);
  });

  describe("a rotation is refused in plain words", () => {
    const other = { MASTER_KEY: randomBytes(32).toString("base64") };

    test.each([
      [
        "without a master key",
        "key rotate rsa --master-key-lost",
        { MASTER_KEY: "", NODE_ENV: "production" },
        /^error: The master key is not set\. Set MASTER_KEY/,
      ],
      ["with a key declared lost that is not", "key rotate jwt --master-key-lost", {}, /Omit --master-key-lost/],
      [
        "for an unreachable database",
        "key rotate rsa --master-key-lost",
        { DATABASE_URL: "postgres://u:S3cret@127.0.0.1:1/d" },
        /No Postgres server responds at 127\.0\.0\.1:1/,
      ],
      [
        "for an alias that is not configured",
        "key rotate rsa --alias x --master-key-lost",
        {},
        /There is no database "x"/,
      ],
      ["for another kind", "key rotate dsa", {}, /must be rsa or jwt/],
    ])("%s", async (_title, line, more, words) => {
      await tokenOf();
      await tokenOf("/second");
      const before = await json("key list --json");
      const { code, stdout, stderr } = await run(line, more);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toMatch(words);
      expect(stderr).not.toMatch(/S3cret|^ +at /m);
      expect(await json("key list --json")).toEqual(before);
    });

    test("with another master key", async () => {
      const { code, stderr } = await operate("--all key rotate jwt", other);
      expect([code, stderr.match(/Another master key encrypted the current key/g)?.length]).toEqual([1, 2]);
    });

    test("a rotation with a lost master key succeeds when declared, and the old key is refused", async () => {
      const token = await tokenOf();
      expect((await run("key rotate jwt --alias second --master-key-lost", other)).stdout).toMatch(
        /the new key is [\w-]{43}; [\w-]{43} is refused/,
      );
      // The server still has the old master key, and so no usable key.
      const { status, body } = await request(subject.url)
        .post("/second/v2/login")
        .set("appkey", appKey)
        .send({ user: "demo", pass: "demo", appNames: "demo-app" })
        .ok(() => true);
      expect([status, body.status.internalStatus]).toEqual([500, "705"]);
      expect(await checked(token)).toBe("0");
    });
  });
});
