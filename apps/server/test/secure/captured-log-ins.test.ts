import { randomBytes } from "node:crypto";
import { Applications } from "@sallyport/core";
import { encryptBlocks } from "@sallyport/test-kit/crypto/rsa-blocks";
import type { RunningServer } from "../../src/index.ts";
import { repositoriesOf } from "../repositories-of.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import { goodFields, hybridBody, openAnswer, openHybridAnswer, secureBody, blocksOf } from "./credentials.ts";
import { post, type Reply } from "./send.ts";
import { client, serverRsaKey, storedServerKeys, stranger } from "./stored-keys.ts";

/** Log-ins of clients that were recorded. */
describe("captured log-in", () => {
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
  const verdict = ({ headers, code }: Reply) => (headers["encrypted"] === "v=1" ? "accepted" : String(code));
  const long = { ...goodFields, note: "n".repeat(400) };

  let postgres: PostgresFixture;
  let servers: RunningServer[];
  beforeAll(async () => {
    postgres = await openPostgresFixture();
    servers = [await postgres.demo(storedServerKeys), await postgres.demo(storedServerKeys)];
  }, 60_000);
  afterAll(() => postgres.close());

  const at = (index: number, path: string, body: object) =>
    post(`${servers[index % 2]?.url}${path}`, body).then(verdict);
  const secure = (body: object, index = 0) => at(index, "/v2/login/secure", body);
  const hybrid = (body: object, index = 0) => at(index, "/v2/login", body);
  const later = (seconds: number) =>
    postgres.sql.query(
      `update sallyport_demo.cipher_blocks set first_used_at = first_used_at - interval '${seconds} seconds'`,
    );
  /** Replays in the audit, including tallied ones. */
  const replays = async (): Promise<number> => {
    const { audit } = servers[0]?.databases.get("")?.storage.repositories ?? {};
    await audit?.settle(0, 1_000);
    const events = (await audit?.read(0, 10_000)) ?? [];
    return events
      .filter(({ type, outcome }) => type === "credentials.replayed" && outcome === 310)
      .reduce((sum, { attempts }) => sum + attempts, 0);
  };
  const tally = (verdicts: readonly string[]) =>
    ["accepted", "310"].map((each) => verdicts.filter((one) => one === each).length);

  describe.each<[string, (body: object, index?: number) => Promise<string>, () => object]>([
    ["of secure mode", secure, () => secureBody(long)],
    ["in secure mode with PKCS#1 v1.5", secure, () => secureBody(long, "PKCS1-v1_5")],
    ["of token mode", hybrid, () => hybridBody()],
  ])("%s", (_title, send, make) => {
    test("is accepted three times from the same client, on any server, and audited after that", async () => {
      const body = make();
      const before = await replays();
      const verdicts = [];
      for (let index = 0; index < 5; index += 1) verdicts.push(await send(body, index));
      expect(verdicts).toEqual(["accepted", "accepted", "accepted", "310", "310"]);
      expect(await replays()).toBe(before + 2);
    });

    test("is refused after a minute", async () => {
      const body = make();
      expect(await send(body)).toBe("accepted");
      await later(58);
      expect(await send(body, 1)).toBe("accepted");
      await later(3);
      expect(await send(body)).toBe("310");
      expect(await send(make())).toBe("accepted");
    });

    test("is refused from another client, and its owner is not affected", async () => {
      const body = make();
      expect(await send(body)).toBe("accepted");
      const before = await replays();
      for (const index of [0, 1]) expect(await send({ ...body, publicKey: stranger.text }, index)).toBe("310");
      expect(await replays()).toBe(before + 2);
      expect(await send(body)).toBe("accepted");
    });

    test("is accepted from one of two concurrent clients", async () => {
      for (let round = 0; round < 5; round += 1) {
        const body = make();
        const other = { ...body, publicKey: stranger.text };
        expect(tally(await Promise.all([send(body, 0), send(other, 1)]))).toEqual([1, 1]);
      }
    });

    test("is accepted three times of ten concurrent ones from one client", async () => {
      const body = make();
      expect(tally(await Promise.all(Array.from({ length: 10 }, (_, index) => send(body, index))))).toEqual([3, 7]);
    });
  });

  test("is one audit event at first, and then part of a tally", async () => {
    const body = secureBody();
    const attacker = await postgres.demo(storedServerKeys);
    const attack = () => post(`${attacker.url}/v2/login/secure`, { ...body, publicKey: stranger.text }).then(verdict);
    const count = async (): Promise<number> =>
      (
        await postgres.sql.query(
          "select count(*)::int as n from sallyport_demo.audit where type = 'credentials.replayed'",
        )
      ).rows[0].n;
    expect(await secure(body)).toBe("accepted");
    const before = await replays();
    const entries = await count();
    for (let round = 0; round < 3; round += 1) expect(await attack()).toBe("310");
    expect(await count()).toBe(entries + 1);
    expect(await replays()).toBe(before + 3);
  });

  test("opens a new session each time", async () => {
    const body = secureBody();
    const [first, second] = await Promise.all(
      [0, 1].map(async (index) => {
        const answer = await post(`${servers[index]?.url}/v2/login/secure`, body);
        return openAnswer(answer.text).data;
      }),
    );
    for (const name of ["sessionId", "symmetricKey"]) expect(first[name]).not.toBe(second[name]);
  });

  test("reveals nothing when one of its blocks is spliced into another message", async () => {
    const blocks = blocksOf(long);
    expect(await secure({ publicKey: client.text, credentials: base64(blocks) })).toBe("accepted");
    const own = JSON.stringify({ ...goodFields, note: "n".repeat(400) });
    const mine = [own.slice(0, 190), own.slice(190, 380)].map((part) =>
      encryptBlocks(serverRsaKey, "OAEP-SHA-256", Buffer.from(part)),
    );
    const spliced = base64(Buffer.concat([...mine, blocks.subarray(512)]));
    expect(await secure({ publicKey: stranger.text, credentials: spliced })).toBe("310");
    // The same blocks are accepted from the first sender.
    expect(await secure({ publicKey: client.text, credentials: spliced })).toBe("accepted");
  });

  test("is bound to the key, in any notation", async () => {
    const body = secureBody();
    const pem = client.publicKey.export({ type: "pkcs1", format: "pem" });
    expect(await secure(body)).toBe("accepted");
    expect(await secure({ ...body, publicKey: pem })).toBe("accepted");
    expect(await secure({ ...body, publicKey: Buffer.from(pem as string).toString("base64") })).toBe("accepted");
    expect(await secure(body)).toBe("310");
  });

  test.each<[string, object, string]>([
    ["an app name", { appNames: ["unknown"] }, "208"],
    ["its password", { pass: "wrong" }, "302"],
    ["its user", { user: "unknown" }, "302"],
  ])("stores no cipher block with an error in %s", async (_title, wrong, code) => {
    const count = async (): Promise<number> =>
      (await postgres.sql.query("select count(*)::int as n from sallyport_demo.cipher_blocks")).rows[0].n;
    const before = await count();
    const made = { ...goodFields, ...wrong };
    expect(await secure(secureBody(made))).toBe(code);
    expect(await hybrid(hybridBody({ contents: JSON.stringify(made) }))).toBe(code);
    expect(await count()).toBe(before);
  });

  test("is refused before the check of second factors, and counts no failure", async () => {
    const applications = new Applications(repositoriesOf(servers[0] as RunningServer).records);
    await applications.setSecondFactor("demo-app", "forced");
    const body = secureBody({ ...goodFields, appNames: ["demo-app"] });
    expect(await secure(body)).toBe("340");
    for (let round = 0; round < 12; round += 1) expect(await secure({ ...body, publicKey: stranger.text })).toBe("310");
    await applications.setSecondFactor("demo-app", "off");
    expect(await secure(body)).toBe("accepted");
  });

  test("is limited per network, so that others need not wait", async () => {
    const body = { publicKey: client.text, credentials: base64(randomBytes(16 * 256)) };
    const codes = new Set<unknown>();
    const refused: unknown[] = [];
    // On a busy machine requests can arrive as slowly as they are answered.
    for (let round = 0; round < 20 && refused.length === 0; round += 1) {
      const answers = await Promise.all(
        Array.from({ length: 160 }, () => post(`${servers[0]?.url}/v2/login/secure`, body)),
      );
      for (const { code } of answers) codes.add(code);
      refused.push(...answers.filter(({ code }) => code === "706"));
    }
    expect(codes).toEqual(new Set(["310", "706"]));
    expect(refused[0]).toMatchObject({ status: 503, headers: { "retry-after": "1" } });
    expect(await secure(secureBody())).toBe("accepted");
  });

  describe("with an encrypted AES key", () => {
    const altered = (data: string, change: (bytes: Buffer) => Buffer) => base64(change(Buffer.from(data, "base64")));
    const contents = ` ${JSON.stringify(goodFields)}`;

    test("is recognised with another IV", async () => {
      const body = hybridBody({ contents });
      expect(await hybrid(body)).toBe("accepted");
      const tab = altered(body.data, (bytes) => {
        bytes.writeUInt8(bytes.readUInt8(0) ^ 0x20 ^ 0x09, 0);
        return bytes;
      });
      expect(await hybrid({ ...body, data: tab, publicKey: stranger.text })).toBe("310");
      expect([await hybrid({ ...body, data: tab }), await hybrid(body), await hybrid({ ...body, data: tab })]).toEqual([
        "accepted",
        "accepted",
        "310",
      ]);
    });

    test("is refused from another client when its beginning is cut off and rewritten", async () => {
      // Blocks of 16 characters.
      const [first, second, wanted] = ['{"x":"abcdefgh",', '"n":"123456789",', '{"n":"12345678",'] as const;
      const body = hybridBody({ contents: `${first}${second}${JSON.stringify(goodFields).slice(1)}` });
      expect(await hybrid(body)).toBe("accepted");
      const cut = altered(body.data, (bytes) => {
        const iv = bytes
          .subarray(16, 32)
          .map((byte, index) => byte ^ second.charCodeAt(index) ^ wanted.charCodeAt(index));
        return Buffer.concat([iv, bytes.subarray(32)]);
      });
      expect(await hybrid({ ...body, data: cut, publicKey: stranger.text })).toBe("310");
    });

    test("has an AES key that is too short to serve as credentials", async () => {
      const aesKey = Buffer.from('{"user":1,"pass":2,"appNames":3}');
      const body = hybridBody({ aesKey });
      expect(aesKey).toHaveLength(32);
      expect(await hybrid(body)).toBe("accepted");
      expect(await secure({ publicKey: stranger.text, credentials: body.aesKey })).toBe("301");
    });

    test("may be followed by others under the same AES key, encrypted once or again", async () => {
      const aesKey = randomBytes(32);
      const first = hybridBody({ aesKey });
      expect(await hybrid(first)).toBe("accepted");
      const verdicts = [];
      for (let round = 0; round < 4; round += 1)
        verdicts.push(await hybrid(hybridBody({ aesKey, sealedKey: first.aesKey }), round));
      verdicts.push(await hybrid(hybridBody({ aesKey })));
      await later(120);
      verdicts.push(await hybrid(hybridBody({ aesKey, sealedKey: first.aesKey })));
      expect(verdicts).toEqual(Array<string>(6).fill("accepted"));
    });

    test("is answered under another AES key each time", async () => {
      const body = hybridBody();
      const texts = await Promise.all(
        [0, 1].map(async (index) => (await post(`${servers[index]?.url}/v2/login`, body)).text),
      );
      const [first, second] = texts.map((text) => text.split("|")[0]);
      expect(first).not.toBe(second);
      for (const text of texts) expect(openHybridAnswer(text).status.internalStatus).toBe("0");
    });
  });
});
