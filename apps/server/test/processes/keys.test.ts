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
import { runCommand } from "./run-command.ts";
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

  async function json(line: string, more: Record<string, string> = {}) {
    const { code, stdout, stderr } = await run(line, more);
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
    const rotated = await json("key rotate jwt --json");
    const inADay = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(rotated).toEqual([
      { alias: "", kind: "jwt", keyId: expect.any(String), before: keyIdOf(token), beforeAcceptedUntil: inADay },
      {
        alias: "second",
        kind: "jwt",
        keyId: expect.any(String),
        before: keyIdOf(ofSecond),
        beforeAcceptedUntil: inADay,
      },
    ]);
    const hours = (Date.parse(rotated[0].beforeAcceptedUntil) - Date.now()) / 3_600_000;
    expect(Math.round(hours)).toBe(24);

    const [after, afterInSecond] = [await tokenOf(), await tokenOf("/second")];
    expect([keyIdOf(after), keyIdOf(afterInSecond)]).toEqual(rotated.map(({ keyId }: { keyId: string }) => keyId));
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
    const first = /^database "second": created key [\w-]{43}\n$/;
    expect(await run("key rotate rsa --alias second")).toMatchObject({ code: 0, stdout: expect.stringMatching(first) });
    expect(await serverKey(subject)).toBe(before);

    const [{ keyId }] = await json("key rotate rsa --alias= --json");
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
    const { stdout } = await run("key list");
    expect(stdout).toMatch(/^KIND +ID +CREATED +ACCEPTED UNTIL\n(?:rsa .*\n)+(?:jwt .*\n)+$/);
    for (const { kind, keyId, createdAt, acceptedUntil, ...rest } of listed) {
      expect(rest).toEqual({});
      expect(stdout).toMatch(new RegExp(`^${kind} +${keyId} +${createdAt} +${acceptedUntil ?? "current"}$`, "m"));
    }
  });

  test("a key file supplies the next key, once", async () => {
    const file = join(folder, "jwt.pem");
    const write = () => {
      const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
      writeFileSync(file, privateKey.export({ type: "pkcs8", format: "pem" }));
    };
    write();
    const rotate = () => run("key rotate jwt --alias second", { JWT_KEY_FILE: file });
    expect((await run("key list --alias second", { JWT_KEY_FILE: file })).stderr).toMatch(
      /note: the key in encryption\.jwtKeyFile is not the current one\./,
    );
    expect((await rotate()).stdout).toMatch(/the new key is [\w-]{43}; [\w-]{43} is accepted until/);
    expect(await rotate()).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(
        /error: database "second": The key in encryption\.jwtKeyFile \(.*jwt\.pem\) is already the current one\./,
      ),
    });
    expect((await run("key rotate jwt --alias second")).code).toBe(0);
    expect((await rotate()).stderr).toMatch(/was rotated out and cannot be used again/);
    write();
    expect((await rotate()).code).toBe(0);
  });

  describe("a rotation is refused in plain words", () => {
    const other = { MASTER_KEY: randomBytes(32).toString("base64") };

    test.each([
      [
        "without a master key",
        "key rotate rsa",
        { MASTER_KEY: "", NODE_ENV: "production" },
        /^error: The master key is not set\. Set MASTER_KEY/,
      ],
      [
        "with another master key",
        "key rotate jwt",
        other,
        /error: database \(empty\): Another master key encrypted the current key\..*\n +database "second": Another/,
      ],
      ["with a key declared lost that is not", "key rotate jwt --master-key-lost", {}, /Omit --master-key-lost/],
      [
        "for an unreachable database",
        "key rotate rsa",
        { DATABASE_URL: "postgres://u:S3cret@127.0.0.1:1/d" },
        /No Postgres server responds at 127\.0\.0\.1:1/,
      ],
      ["for an alias that is not configured", "key rotate rsa --alias x", {}, /There is no database "x"/],
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
