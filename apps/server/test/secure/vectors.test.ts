import {
  constants,
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  hash,
  privateDecrypt,
} from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { buildCounterBlock, formatEncryptedHeader, parseCounterBlock, parseEncryptedHeader } from "@sallyport/contract";
import { type RsaPadding, rsaPaddings } from "@sallyport/core";
import {
  AesCbcHybridCipher,
  AesCtrChannelCipher,
  ForgeClientKeyParser,
  NodeServerKeys,
  RsaCredentialsCipher,
} from "@sallyport/crypto";
import { counterBlock } from "./secure-client.ts";

describe("secure mode vectors", () => {
  interface Vectors {
    readonly serverKey: { readonly keyId: string; readonly key: string; readonly privateKey: string };
    readonly clientKey: { readonly privateKey: string; readonly publicKey: Readonly<Record<string, string>> };
    readonly credentials: readonly { padding: RsaPadding; text: string; credentials: string }[];
    readonly answers: readonly { padding: RsaPadding; body: string; text: string }[];
    readonly session: { readonly sessionId: string; readonly symmetricKey: string; readonly ivPrefix: string };
    readonly messages: readonly {
      direction: 1 | 2;
      number: string;
      text: string;
      counterBlock: string;
      encrypted: string;
      keyStream: string;
      body: string;
    }[];
    /** `body` is in hex digits. */
    readonly files: readonly (Vectors["messages"][number] & { title: string; headers: Record<string, string> })[];
    readonly hybrid: {
      readonly request: { aesKey: string; iv: string; text: string; body: { aesKey: string; data: string } };
      readonly answer: { aesKey: string; iv: string; text: string; body: string };
    };
  }

  const guides = resolve(import.meta.dirname, "../../../../docs/guides");
  const guide = readFileSync(join(guides, "secure-mode.md"), "utf8");
  const vectors = JSON.parse(readFileSync(join(guides, "secure-mode/vectors.json"), "utf8")) as Vectors;
  const { serverKey, clientKey, session, hybrid } = vectors;
  const sessionKey = Buffer.from(session.symmetricKey, "base64");
  const ivPrefix = Buffer.from(session.ivPrefix, "base64");

  function decryptBlocks(key: string, padding: RsaPadding, text: string): Buffer {
    const bytes = Buffer.from(text, "base64");
    const parts: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; at += 256) parts.push(decryptBlock(key, padding, bytes.subarray(at, at + 256)));
    return Buffer.concat(parts);
  }

  function decryptBlock(key: string, padding: RsaPadding, block: Buffer): Buffer {
    if (padding !== "PKCS1-v1_5")
      return privateDecrypt({ key, oaepHash: padding === "OAEP-SHA-1" ? "sha1" : "sha256" }, block);
    // Node refuses to remove this padding: 00 02, bytes that are not zero, 00.
    const raw = privateDecrypt({ key, padding: constants.RSA_NO_PADDING }, block);
    expect(raw.subarray(0, 2).toString("hex")).toBe("0002");
    return raw.subarray(raw.indexOf(0, 2) + 1);
  }

  function cbc({ aesKey, iv, text }: { aesKey: string; iv: string; text: string }): string {
    const start = Buffer.from(iv, "hex");
    const cipher = createCipheriv("aes-256-cbc", Buffer.from(aesKey, "hex"), start);
    return Buffer.concat([start, cipher.update(text), cipher.final()]).toString("base64");
  }

  function counterBlockOf(direction: 1 | 2, number: bigint): Buffer {
    return counterBlock({ token: "", key: sessionKey, ivPrefix }, number, direction);
  }

  const serverKeys = new NodeServerKeys();
  const imported = serverKeys.import("rsa", serverKey.privateKey);
  if ("refused" in imported) throw new Error(imported.refused);
  const accepted = [imported.pair];

  describe("vectors of the guide, with Node's own cryptography", () => {
    test("name the server's key", () => {
      const { e, kty, n } = createPublicKey(serverKey.key).export({ format: "jwk" });
      expect(hash("sha256", JSON.stringify({ e, kty, n }), "base64url")).toBe(serverKey.keyId);
      expect(createPublicKey(serverKey.privateKey).export({ type: "spki", format: "pem" })).toBe(
        serverKey.key.replaceAll("\r", ""),
      );
    });

    test("give the client's public key in several forms of one key", () => {
      const pair = createPublicKey(createPrivateKey(clientKey.privateKey));
      const forms = new Map(Object.entries(clientKey.publicKey));
      expect(forms.get("base64 of SPKI DER")).toBe(pair.export({ type: "spki", format: "der" }).toString("base64"));
      expect(forms.get("base64 of PKCS#1 DER")).toBe(pair.export({ type: "pkcs1", format: "der" }).toString("base64"));
      expect(forms.get("SPKI PEM")).toBe(pair.export({ type: "spki", format: "pem" }));
      expect(forms.get("PKCS#1 PEM")).toBe(pair.export({ type: "pkcs1", format: "pem" }));
      expect(Buffer.from(String(forms.get("base64 of SPKI PEM")), "base64").toString()).toBe(forms.get("SPKI PEM"));
    });

    test.each(vectors.credentials)("decrypt credentials with $padding: $text", ({ padding, text, credentials }) => {
      expect(decryptBlocks(serverKey.privateKey, padding, credentials).toString()).toBe(text);
    });

    test("include credentials that split a character between blocks", () => {
      const bytes = Buffer.from(String(vectors.credentials[1]?.text));
      expect(bytes.subarray(0, 190).toString()).toMatch(/\uFFFD$/);
    });

    test.each(vectors.answers)("decrypt the answer with $padding", ({ padding, body, text }) => {
      expect(decryptBlocks(clientKey.privateKey, padding, body).toString()).toBe(text);
      expect(JSON.parse(text).data).toMatchObject(session);
    });

    test.each(vectors.messages)(
      "decrypt message $number in direction $direction",
      ({ counterBlock, encrypted, keyStream, text, body }) => {
        const iv = Buffer.from(counterBlock, "hex");
        expect(encrypted).toBe(`v=1;iv=${iv.toString("base64")}`);
        expect(createCipheriv("aes-256-ctr", sessionKey, iv).update(text).toString("base64")).toBe(body);
        expect(
          createCipheriv("aes-256-ctr", sessionKey, iv)
            .update(Buffer.alloc(Buffer.byteLength(text)))
            .toString("hex"),
        ).toBe(keyStream);
      },
    );

    test.each(vectors.files)(
      "decrypt $title of a file",
      ({ direction, number, counterBlock, encrypted, keyStream, text, body }) => {
        const iv = counterBlockOf(direction, BigInt(number));
        expect([counterBlock, encrypted]).toEqual([iv.toString("hex"), `v=1;iv=${iv.toString("base64")}`]);
        expect(createDecipheriv("aes-256-ctr", sessionKey, iv).update(body, "hex").toString()).toBe(text);
        const zeros = Buffer.alloc(body.length / 2);
        expect(createCipheriv("aes-256-ctr", sessionKey, iv).update(zeros).toString("hex")).toBe(keyStream);
      },
    );

    test("decrypt the encrypted form of the log-in with a token", () => {
      const { request, answer } = hybrid;
      expect(cbc(request)).toBe(request.body.data);
      expect(decryptBlocks(serverKey.privateKey, "OAEP-SHA-256", request.body.aesKey).toString("hex")).toBe(
        request.aesKey,
      );
      const [sealedKey = "", data = ""] = answer.body.split("|");
      expect(decryptBlocks(clientKey.privateKey, "OAEP-SHA-256", sealedKey).toString("hex")).toBe(answer.aesKey);
      expect(cbc(answer)).toBe(data);
      const decipher = createDecipheriv(
        "aes-256-cbc",
        Buffer.from(answer.aesKey, "hex"),
        Buffer.from(answer.iv, "hex"),
      );
      expect(decipher.update(Buffer.from(data, "base64").subarray(16)).toString() + decipher.final().toString()).toBe(
        answer.text,
      );
    });
  });

  describe("vectors of the guide, with the code of the service", () => {
    const credentialsCipher = new RsaCredentialsCipher({ threads: 1 });
    afterAll(() => credentialsCipher.close());

    test("include all paddings", () => {
      expect(new Set(vectors.credentials.map(({ padding }) => padding))).toEqual(new Set(rsaPaddings));
      expect(accepted[0]?.keyId).toBe(serverKey.keyId);
      expect(accepted[0]?.publicKey).toBe(serverKey.key);
    });

    test.each(Object.entries(clientKey.publicKey))("parse the client's key as %s", (_form, text) => {
      const spki = createPublicKey(clientKey.privateKey).export({ type: "spki", format: "der" });
      expect(new ForgeClientKeyParser().parse(text, [])?.digest).toBe(hash("sha256", spki));
    });

    test.each(vectors.credentials)("open credentials with $padding: $text", async ({ padding, text, credentials }) => {
      const opened = await credentialsCipher.open(credentials, accepted);
      expect({ padding: opened?.padding, text: Buffer.from(opened?.plain ?? []).toString() }).toEqual({
        padding,
        text,
      });
    });

    test.each(vectors.messages)(
      "read and write message $number in direction $direction",
      ({ direction, number, counterBlock, encrypted, text, body }) => {
        const counter = { direction, ivPrefix: new Uint8Array(ivPrefix), message: BigInt(number), block: 0 };
        const iv = buildCounterBlock(counter);
        expect(Buffer.from(iv).toString("hex")).toBe(counterBlock);
        expect(formatEncryptedHeader({ iv })).toBe(encrypted);
        expect(parseCounterBlock(parseEncryptedHeader(encrypted)?.iv ?? iv.subarray(1))).toEqual(counter);
        expect(
          Buffer.from(new AesCtrChannelCipher().apply(sessionKey, iv, Buffer.from(body, "base64"))).toString(),
        ).toBe(text);
      },
    );

    test.each(vectors.files)("read and write $title of a file, in pieces of any length", async (file) => {
      const iv = parseEncryptedHeader(file.encrypted)?.iv ?? new Uint8Array();
      for (const length of [1, 5, 16, 1_000])
        for (const [from, to] of [
          [Buffer.from(file.text), file.body],
          [Buffer.from(file.body, "hex"), Buffer.from(file.text).toString("hex")],
        ] as const) {
          const pieces = Array.from({ length: Math.ceil(from.length / length) }, (_, index) =>
            from.subarray(index * length, (index + 1) * length),
          );
          const applied = [];
          for await (const piece of new AesCtrChannelCipher().applyToStream(sessionKey, iv, pieces))
            applied.push(piece);
          expect(Buffer.concat(applied).toString("hex")).toBe(to);
        }
    });

    test("open the encrypted form of the log-in with a token", async () => {
      const opened = await new AesCbcHybridCipher(credentialsCipher).open(hybrid.request.body, accepted);
      expect(Buffer.from(opened?.plain ?? []).toString()).toBe(hybrid.request.text);
    });
  });

  test("the worked examples of the guide are among the vectors", () => {
    const lines = (hex: string) => hex.match(/.{1,32}/g) ?? [];
    const [, toServer, toClient] = vectors.messages;
    const worked = [toServer, toClient].flatMap((message) => {
      const { text = "", keyStream = "", body = "", encrypted = "" } = message ?? {};
      return [text, encrypted, body, ...lines(keyStream), ...lines(Buffer.from(body, "base64").toString("hex"))];
    });
    const { aesKey, iv, text, body } = hybrid.request;
    const named = [session.symmetricKey, sessionKey.toString("hex"), aesKey, iv, text, body.data];
    const cipherText = lines(Buffer.from(body.data, "base64").subarray(16).toString("hex"));
    const first = [String(toServer?.counterBlock), ...lines(Buffer.from(String(toServer?.text)).toString("hex"))];
    const [chunk, , , range] = vectors.files;
    const files = [chunk, range].flatMap((file) => {
      const { counterBlock = "", encrypted = "", keyStream = "", body = "", text = "", headers = {} } = file ?? {};
      const hex = [keyStream, body, Buffer.from(text).toString("hex")].flatMap(lines);
      return [counterBlock, encrypted, ...hex, ...Object.entries(headers).map((header) => header.join(": "))];
    });
    for (const part of [...worked, ...named, ...cipherText, ...first, ...files]) expect(guide).toContain(part);
  });
});
