import { createCipheriv, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { buildCounterBlock } from "@sallyport/contract/secure";
import { secureMode } from "@sallyport/test-kit/crypto/secure-mode-vectors";
import fc from "fast-check";
import { FakeChannel } from "../test/fake-channel.ts";
import { AcceptedNumbers, ChannelCipher, OutgoingNumbers, SecureSession } from "./sessions/secure-session.ts";

const vectorsPath = "../../../docs/guides/secure-mode/vectors.json";

describe("sessions", () => {
  test("message numbers count from 0", () => {
    const numbers = new OutgoingNumbers();
    expect([numbers.next(), numbers.next(), numbers.next()]).toEqual([0n, 1n, 2n]);
  });

  const near = fc.bigInt({ min: 0n, max: 40n });
  const far = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });

  test("message numbers are accepted once, in any order and with gaps", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof({ weight: 4, arbitrary: near }, far), { maxLength: 200 }), (numbers) => {
        const accepted = new AcceptedNumbers();
        const reference = new Set<bigint>();
        for (const number of numbers) {
          expect(accepted.accept(number)).toBe(!reference.has(number));
          reference.add(number);
        }
      }),
      { numRuns: 500 },
    );
  });

  test("message numbers are known over a million messages", () => {
    const accepted = new AcceptedNumbers();
    for (let number = 0n; number < 1_000_000n; number += 1n) accepted.accept(number);
    expect([0n, 1n, 500_000n, 999_999n].map((number) => accepted.accept(number))).toEqual([false, false, false, false]);
    expect(accepted.accept(1_000_000n)).toBe(true);
  });

  const ok = Buffer.from('{"status":{"internalStatus":"0","statusMessage":"ok"},"data":{}}');

  async function pair(): Promise<{ session: SecureSession; server: FakeChannel }> {
    const server = new FakeChannel();
    const cipher = await ChannelCipher.create(Uint8Array.from(server.key));
    return {
      server,
      session: new SecureSession({ secureToken: "t", ivPrefix: Uint8Array.from(server.ivPrefix), cipher }),
    };
  }

  const answer = ({ body, headers }: { body: Uint8Array; headers: Record<string, string> }, status = 200) => ({
    status,
    headers: new Headers(headers),
    body,
  });
  const clear = (code: number, status: number) =>
    answer(
      {
        body: Buffer.from(JSON.stringify({ status: { internalStatus: String(code), statusMessage: "x" } })),
        headers: {},
      },
      status,
    );

  describe("requests", () => {
    test("without a body carry the token only", async () => {
      const { session } = await pair();
      await expect(session.seal({ headers: { "if-match": '"1"' } })).resolves.toEqual({
        headers: { "if-match": '"1"', "secure-token": "t" },
      });
    });

    test("with JSON become base64 that the server can open", async () => {
      const { session, server } = await pair();
      const { headers, body } = await session.seal({
        headers: { "content-type": "application/json" },
        body: '{"Name":"Zoë"}',
      });
      expect(headers).toMatchObject({ "content-type": "application/text", "secure-token": "t" });
      expect(body).toMatch(/^[A-Za-z0-9+/]+=*$/);
      expect(
        Buffer.from(server.open(headers["encrypted"] ?? null, Buffer.from(body as string), true) ?? []).toString(),
      ).toBe('{"Name":"Zoë"}');
    });

    test("with bytes stay bytes, and keep their type", async () => {
      const { session, server } = await pair();
      const plain = Uint8Array.from(randomBytes(1_000));
      const { headers, body } = await session.seal({ headers: { "content-type": "image/png" }, body: plain });
      expect(headers["content-type"]).toBe("image/png");
      expect(body).toHaveLength(1_000);
      expect(
        Buffer.from(server.open(headers["encrypted"] ?? null, body as Uint8Array, false) ?? []).equals(plain),
      ).toBe(true);
    });

    test("at the same time have separate numbers, from 0 without gaps", async () => {
      const { session, server } = await pair();
      const sent = await Promise.all(
        Array.from({ length: 200 }, (_, n) => session.seal({ headers: {}, body: `{"n":${n}}` })),
      );
      for (const { headers, body } of sent)
        expect(server.open(headers["encrypted"] ?? null, Buffer.from(body as string), true)).toBeDefined();
      expect(server.received.toSorted((a, b) => Number(a - b))).toEqual(
        Array.from({ length: 200 }, (_, n) => BigInt(n)),
      );
    });

    test("with the same contents never look the same", async () => {
      const { session } = await pair();
      const sent = await Promise.all(
        Array.from({ length: 50 }, () => session.seal({ headers: {}, body: "{}".padEnd(32) })),
      );
      expect(new Set(sent.map(({ body }) => body)).size).toBe(50);
    });
  });

  describe("answers", () => {
    test("are opened, as texts and as files", async () => {
      const { session, server } = await pair();
      expect(Buffer.from((await session.open(answer(server.seal(ok)))).body).equals(ok)).toBe(true);
      expect(Buffer.from((await session.open(answer(server.seal(ok, { asText: false })))).body).equals(ok)).toBe(true);
    });

    test("keep their status and headers", async () => {
      const { session, server } = await pair();
      const opened = await session.open(answer(server.seal(ok), 404));
      expect(opened.status).toBe(404);
      expect(opened.headers.get("content-type")).toBe("application/text; charset=utf-8");
    });

    test("may arrive in any order, with gaps", async () => {
      const { session, server } = await pair();
      for (const message of [128n, 0n, 2n ** 64n - 1n, 5n, 129n]) {
        expect((await session.open(answer(server.seal(ok, { message })))).body).toHaveLength(ok.length);
      }
    });

    test.each([
      ["repeated-number", { message: 7n }],
      ["wrong-direction", { direction: 1 as const }],
      ["foreign-prefix", { ivPrefix: Uint8Array.of(0, 0, 0) }],
      ["not-first-block", { block: 1 }],
    ])("are refused for %s", async (reason, parts) => {
      const { session, server } = await pair();
      await session.open(answer(server.seal(ok, { message: 7n })));
      await expect(session.open(answer(server.seal(ok, parts)))).rejects.toMatchObject({
        name: "ChannelError",
        reason,
      });
    });

    test("are accepted once, even two at the same time", async () => {
      const { session, server } = await pair();
      const one = answer(server.seal(ok));
      const outcomes = await Promise.allSettled([session.open(one), session.open(one), session.open(one)]);
      expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected", "rejected"]);
    });

    test.each(["", "v=1", "v=2;seq=1", "v=1;iv=", "v=1;iv=AAAA", "v=1, v=1"])(
      "are refused with the header %j",
      async (encrypted) => {
        const { session, server } = await pair();
        const { body } = server.seal(ok);
        await expect(session.open(answer({ body, headers: { encrypted } }))).rejects.toMatchObject({
          reason: "no-counter-block",
        });
      },
    );

    test("are refused with invalid base64", async () => {
      const { session, server } = await pair();
      const { headers } = server.seal(ok);
      await expect(session.open(answer({ body: Buffer.from("?"), headers }))).rejects.toMatchObject({
        reason: "undecipherable",
      });
    });
  });

  describe("answers in clear text", () => {
    test.each([100, 101, 200, 201, 202, 203, 204, 304, 305, 307, 314, 607, 699, 704, 705, 706, 799, 800])(
      "are trusted with %i",
      async (code) => {
        const { session } = await pair();
        const refusal = clear(code, 400);
        await expect(session.open(refusal)).resolves.toBe(refusal);
      },
    );

    test.each([0, 207, 300, 302, 308, 312, 318, 403, 404, 609, 703, 710, 713, 801])(
      "are not trusted with %i",
      async (code) => {
        const { session } = await pair();
        await expect(session.open(clear(code, code === 0 ? 200 : 400))).rejects.toMatchObject({
          name: "ChannelError",
          reason: "clear-answer",
        });
      },
    );

    test("without an envelope come from another server", async () => {
      const { session } = await pair();
      await expect(session.open(answer({ body: Buffer.from("file"), headers: {} }))).rejects.toMatchObject({
        name: "TransportError",
        reason: "foreign-answer",
      });
    });
  });

  test.each([200, 201, 202, 203, 204, 312, 314])("code %i ends the session", async (code) => {
    expect((await pair()).session.isOverWith(code)).toBe(true);
  });

  test.each([0, 101, 302, 310, 704])("code %i keeps the session", async (code) => {
    expect((await pair()).session.isOverWith(code)).toBe(false);
  });

  const fromBase64 = (text: string) => Uint8Array.from(Buffer.from(text, "base64"));

  test.each(secureMode.traffic)(
    "the channel cipher matches message $message in direction $direction, under $iv",
    async ({ symmetricKey, iv, plainBase64, cipherBase64 }) => {
      const cipher = await ChannelCipher.create(fromBase64(symmetricKey));
      expect(Buffer.from(await cipher.apply(fromBase64(iv), fromBase64(plainBase64))).toString("base64")).toBe(
        cipherBase64,
      );
      expect(Buffer.from(await cipher.apply(fromBase64(iv), fromBase64(cipherBase64))).toString("base64")).toBe(
        plainBase64,
      );
    },
  );

  test("the channel cipher agrees with OpenSSL for messages of any length", async () => {
    const key = randomBytes(32);
    const cipher = await ChannelCipher.create(Uint8Array.from(key));
    const number = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 5_000, size: "max" }), number, async (plain, message) => {
        const iv = buildCounterBlock({ direction: 1, ivPrefix: Uint8Array.of(1, 2, 3), message, block: 0 });
        expect(
          Buffer.from(await cipher.apply(iv, plain)).equals(createCipheriv("aes-256-ctr", key, iv).update(plain)),
        ).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  test("the channel cipher agrees with OpenSSL for messages in pieces of any length", async () => {
    const key = randomBytes(32);
    const cipher = await ChannelCipher.create(Uint8Array.from(key));
    const iv = buildCounterBlock({ direction: 2, ivPrefix: Uint8Array.of(1, 2, 3), message: 7n, block: 0 });
    const pieces = fc.array(fc.uint8Array({ maxLength: 100, size: "max" }), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(pieces, async (plain) => {
        const apply = cipher.pieces(iv);
        const applied = await Promise.all(plain.map((piece) => apply(piece)));
        const whole = createCipheriv("aes-256-ctr", key, iv).update(Buffer.concat(plain));
        expect(Buffer.concat(applied).equals(whole)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  test("a session writes and reads the file vectors of the guide", async () => {
    const vectors = JSON.parse(readFileSync(new URL(vectorsPath, import.meta.url), "utf8"));
    const { symmetricKey, ivPrefix } = vectors.session;
    const cipher = await ChannelCipher.create(fromBase64(symmetricKey));
    const session = new SecureSession({ secureToken: "t", ivPrefix: fromBase64(ivPrefix), cipher });
    for (const { text } of vectors.messages.slice(0, 2)) await session.seal({ headers: {}, body: text });
    for (const { direction, headers, text, encrypted, body } of vectors.files) {
      if (direction === 1) {
        const type = { "content-type": headers["Content-Type"] };
        const sealed = await session.seal({ headers: type, body: Buffer.from(text) });
        expect(sealed.headers).toEqual({ ...type, "secure-token": "t", encrypted });
        expect(Buffer.from(sealed.body as Uint8Array).toString("hex")).toBe(body);
      } else {
        const open = session.openPieces(new Headers({ ...headers, encrypted }));
        const [first, second] = [Buffer.from(body, "hex").subarray(0, 7), Buffer.from(body, "hex").subarray(7)];
        expect(Buffer.concat([await open(first), await open(second)]).toString()).toBe(text);
        expect(() => session.openPieces(new Headers({ encrypted }))).toThrow(/already used/);
      }
    }
    expect(() => session.openPieces(new Headers())).toThrow(/unencrypted/);
  });

  test("the block number never overflows into the message number", async () => {
    const cipher = await ChannelCipher.create(new Uint8Array(32));
    const last = buildCounterBlock({ direction: 1, ivPrefix: new Uint8Array(3), message: 5n, block: 2 ** 32 - 1 });
    const next = buildCounterBlock({ direction: 1, ivPrefix: new Uint8Array(3), message: 6n, block: 0 });
    const overrun = (await cipher.apply(last, new Uint8Array(32))).subarray(16);
    expect(overrun).not.toEqual(await cipher.apply(next, new Uint8Array(16)));
  });
});
