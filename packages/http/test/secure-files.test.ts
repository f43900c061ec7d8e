import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { buildCounterBlock, directions, formatEncryptedHeader } from "@sallyport/contract";
import {
  use,
  type Answer,
  send,
  formType,
  form,
  file,
  whole,
  content,
  ivPrefix,
  key,
  useFileServer,
} from "./file-fixture.ts";

useFileServer();

describe("files in a secure session", () => {
  const blockOf = (message: bigint) =>
    buildCounterBlock({ direction: directions.toServer, ivPrefix, message, block: 0 });
  const encrypt = (message: bigint, bytes: Buffer) =>
    createCipheriv("aes-256-ctr", key, blockOf(message)).update(bytes);
  const secure = (message: bigint, more: object = {}) => ({
    sessionid: "",
    "secure-token": "token",
    encrypted: formatEncryptedHeader({ iv: blockOf(message) }),
    ...more,
  });
  const open = (answer: Answer, bytes: Buffer): Buffer => {
    const iv = Buffer.from(/^v=1;iv=(.*)$/.exec(answer.headers.get("encrypted") ?? "")?.[1] ?? "", "base64");
    return createDecipheriv("aes-256-ctr", key, iv).update(bytes);
  };
  const envelope = (answer: Answer) =>
    JSON.parse(open(answer, Buffer.from(answer.bytes.toString(), "base64")).toString());

  test("arrive as raw ciphertext, forms as a whole", async () => {
    const bytes = randomBytes(1_000_000);
    const chunk = { "content-range": "bytes 0-999999/1000000", "content-type": "application/octet-stream" };
    const patched = await send("PATCH", whole, encrypt(1n, bytes), secure(1n, chunk));
    expect(envelope(patched).data).toMatchObject({ size: 1_000_000 });
    expect(use.received?.bytes.equals(bytes)).toBe(true);
    for (const [number, path] of [
      [2n, whole],
      [3n, "/v1/uploadFile"],
    ] as const) {
      const posted = await send("POST", path, encrypt(number, form(file(bytes))), secure(number, formType));
      expect(envelope(posted).status.internalStatus).toBe("0");
      expect(use.received?.bytes.equals(bytes)).toBe(true);
    }
  });

  test("are refused if their message is replayed, unmarked or in clear text", async () => {
    const codeOf = async (body: Buffer, headers: object) =>
      envelope(await send("POST", whole, body, { ...headers, ...formType })).status.internalStatus;
    const body = form(file());
    expect(await codeOf(encrypt(10n, body), secure(10n))).toBe("0");
    expect(await codeOf(encrypt(10n, body), secure(10n))).toBe("312");
    expect(await codeOf(encrypt(11n, body), secure(11n, { encrypted: "" }))).toBe("312");
    expect(await codeOf(body, secure(12n))).toBe("699");
    const text = await send("POST", whole, "YWJj", secure(13n, { "content-type": "application/text" }));
    expect(envelope(text).status.internalStatus).toBe("207");
  });

  test("are answered as raw ciphertext, each range a message of its own, without their name and type", async () => {
    const answers = [
      await send("GET", "/v1/file/1AB", undefined, secure(20n)),
      await send("GET", "/v1/file/1AB", undefined, secure(20n, { range: "bytes=17-99" })),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 206]);
    expect(open(answers[0] as Answer, (answers[0] as Answer).bytes).equals(content)).toBe(true);
    expect(open(answers[1] as Answer, (answers[1] as Answer).bytes).equals(content.subarray(17, 100))).toBe(true);
    expect(new Set(answers.map(({ headers }) => headers.get("encrypted"))).size).toBe(2);
    for (const { headers } of answers) {
      expect(headers.get("content-type")).toBe("application/octet-stream");
      expect(headers.get("content-disposition")).toBe("attachment");
      expect(headers.get("cache-control")).toBe("no-store");
    }
    const refused = await send("GET", "/v1/file/1AB", undefined, secure(21n, { range: "bytes=999999-" }));
    expect(refused.status).toBe(416);
    expect(envelope(refused).status.internalStatus).toBe("600");
  });
});
