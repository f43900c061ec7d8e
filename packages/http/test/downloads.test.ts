import { ServiceError } from "@sallyport/storage";
import { isFileName } from "@sallyport/core";
import { until } from "@sallyport/test-kit/jest/until";
import {
  use,
  send,
  content,
  validators,
  useCases,
  raw,
  useFileServer,
  type Answer,
  formType,
  form,
  file,
  whole,
  ivPrefix,
  key,
} from "./file-fixture.ts";
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { buildCounterBlock, directions, formatEncryptedHeader } from "@sallyport/contract";

useFileServer();

describe("downloads", () => {
  beforeEach(() => {
    use.opened = { size: content.length, etag: "tag", name: "a.txt", mediaType: "text/plain", ...validators };
  });

  test("carry the bytes and headers that keep browsers from running them", async () => {
    const answer = await send("GET", "/v1/file/1AB");
    expect(answer.status).toBe(200);
    expect(answer.bytes.equals(content)).toBe(true);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "text/plain",
      "content-length": "300000",
      "content-disposition": 'attachment; filename="a.txt"',
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
      "cache-control": "private, no-cache",
      "accept-ranges": "bytes",
      etag: '"tag"',
      "last-modified": "Tue, 01 Jul 2025 10:00:00 GMT",
      "repr-digest": "sha-256=:AQIDAA==:",
      "x-request-id": expect.any(String),
    });
  });

  test("were modified at the time of the response at the latest", async () => {
    use.opened = { ...use.opened, modifiedAt: Date.now() + 86_400_000 };
    const { headers } = await send("GET", "/v1/file/1AB");
    expect(Date.parse(headers.get("last-modified") ?? "")).toBeLessThan(Date.now());
  });

  test.each([
    ["text/html", "application/octet-stream"],
    ["image/svg+xml", "application/octet-stream"],
    ["application/xhtml+xml", "application/octet-stream"],
    ["application/javascript", "application/octet-stream"],
    ["application/vnd.mozilla.xul+xml", "application/octet-stream"],
    ["text/plain; charset=utf-7", "text/plain"],
    ["IMAGE/PNG", "image/png"],
    ["application/pdf", "application/pdf"],
    ["video/mp4\r\nX: y", "application/octet-stream"],
    [null, "application/octet-stream"],
  ])("of type %j have the type %s", async (mediaType, shown) => {
    use.opened = { ...use.opened, mediaType };
    expect((await send("GET", "/v1/file/1AB")).headers.get("content-type")).toBe(shown);
  });

  test.each([
    ["größe.txt", "attachment; filename=\"große.txt\"; filename*=UTF-8''gr%C3%B6%C3%9Fe.txt".replace("große", "gro_e")],
    ['a"b%.txt', "attachment; filename=\"a_b_.txt\"; filename*=UTF-8''a%22b%25.txt"],
    ["☃'(*)", "attachment; filename=\"_'(*)\"; filename*=UTF-8''%E2%98%83%27%28%2A%29"],
    // Each would be a folder, a parent, a drive, a stream, a device or a trailing dot if it were folded.
    ["．．／．．／etc／x", 'attachment; filename="______etc_x"'],
    ["．．＼x", 'attachment; filename="___x"'],
    ["Ｃ：x", 'attachment; filename="C_x"'],
    ["ＣＯＮ", 'attachment; filename="___"'],
    ["ｎｕｌ.txt", 'attachment; filename="___.txt"'],
    ["x．", 'attachment; filename="x_"'],
    ["x…", 'attachment; filename="x_"'],
    ["㏇", 'attachment; filename="_"'],
    ["\u0301", 'attachment; filename="_"'],
    [`${"Ⅷ".repeat(85)}`, `attachment; filename="${"_".repeat(85)}"`],
    // From before the rule.
    ["a/../b", 'attachment; filename="file"'],
    ["half \ud800", 'attachment; filename="file"'],
  ])("are named %j", async (name, header) => {
    use.opened = { ...use.opened, name };
    const sent = (await send("GET", "/v1/file/1AB")).headers.get("content-disposition") ?? "";
    expect(header.includes("*=") ? sent : sent.replace(/; filename\*=.*/, "")).toBe(header);
    for (const [, form = ""] of sent.matchAll(/filename="([^"]*)"/g)) expect(isFileName(form)).toBe(true);
    for (const [, form = ""] of sent.matchAll(/filename\*=UTF-8''(.*)/g)) expect(decodeURIComponent(form)).toBe(name);
  });

  const last = content.length - 1;
  test.each([
    ["bytes=0-0", 0, 0],
    ["bytes=100-199", 100, 199],
    ["bytes=299999-", last, last],
    ["bytes=0-999999", 0, last],
    ["bytes=-1", last, last],
    ["bytes=-999999", 0, last],
    ["Bytes = 5-6 ", 5, 6],
    ["bytes=0-9007199254740993", 0, last],
    [`bytes=5-${"9".repeat(400)}`, 5, last],
    ["bytes=-99999999999999999999", 0, last],
  ])("send the range %s", async (range, from, to) => {
    const answer = await send("GET", "/v1/file/1AB", undefined, { range });
    expect(answer.status).toBe(206);
    expect(answer.headers.get("content-range")).toBe(`bytes ${from}-${to}/${content.length}`);
    expect(answer.bytes.equals(content.subarray(from, to + 1))).toBe(true);
  });

  test.each([
    "bytes=300000-",
    "bytes=99999999999999999999-",
    "bytes=5-4",
    "bytes=-0",
    "bytes=-",
    "bytes=a-b",
    "bytes=",
    "bytes=0-1-2",
  ])("refuse the range %s", async (range) => {
    const answer = await send("GET", "/v1/file/1AB", undefined, { range });
    expect([answer.status, answer.code]).toEqual([416, "600"]);
    expect(answer.headers.get("content-range")).toBe("bytes */300000");
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });

  test.each([
    ["several ranges", { range: "bytes=0-1,5-6" }, 200],
    ["another unit", { range: "items=0-1" }, 200],
    ["the tag of the client's bytes", { range: "bytes=0-1", "if-range": '"tag"' }, 206],
    ["the tag of other bytes", { range: "bytes=0-1", "if-range": '"other"' }, 200],
    ["a weak tag", { range: "bytes=0-1", "if-range": 'W/"tag"' }, 200],
    ["a date", { range: "bytes=0-1", "if-range": "Wed, 21 Oct 2026 07:28:00 GMT" }, 200],
    ["a range beyond the end of other bytes", { range: "bytes=300000-", "if-range": '"other"' }, 200],
    ["a known tag", { "if-none-match": '"tag"' }, 304],
    ["a known tag in a list", { "if-none-match": '"other", W/"tag"' }, 304],
    ["any tag", { "if-none-match": "*", range: "bytes=0-1" }, 304],
    ["another tag", { "if-none-match": '"other"' }, 200],
  ])("with %s", async (_title, headers, status) => {
    const answer = await send("GET", "/v1/file/1AB", undefined, headers);
    expect(answer.status).toBe(status);
    expect(answer.bytes).toHaveLength({ 200: content.length, 206: 2, 304: 0 }[status] as number);
    expect(answer.headers.get("etag")).toBe('"tag"');
    expect(answer.headers.has("content-type")).toBe(status !== 304);
  });

  test("count for the session with all bytes on the connection, as uploads do", async () => {
    await send("GET", "/v1/file/1AB");
    await send("POST", whole, form(Buffer.alloc(200_000)), formType);
    await send("GET", "/v1/file/1AB", undefined, { sessionid: "unknown" });
    await send("GET", "/v1/file/1AB", undefined, { "if-none-match": '"tag"' });
    await until(() => use.application.load.current === 0);
    const size = (bytes: number) => Math.floor(bytes / 10_000);
    expect(use.traffic.map(({ received, sent }) => [size(received), size(sent)])).toEqual([
      [0, 30],
      [20, 0],
      [0, 0],
    ]);
    expect(use.traffic.every(({ received, sent }) => received > 0 && sent > 0)).toBe(true);
  });

  test("end with the client", async () => {
    use.opened = { ...use.opened, size: 100_000_000 };
    const head = ["GET /v1/file/1AB HTTP/1.1", "Host: localhost", "appkey: key", "sessionid: id"];
    const leaving = raw(head, { unread: true });
    await until(() => use.application.transfers.current !== 0);
    expect(use.application.load.current).toBe(0);
    leaving.socket.destroy();
    await until(() => use.readEnded);
    const silent = raw(head, { unread: true });
    await until(() => use.application.transfers.current !== 0);
    expect(use.application.sendBufferBytes.current).toBe(0);
    await until(() => use.readEnded);
    expect(use.observed).toMatchObject({ code: 699, detail: "The client stopped reading." });
    silent.socket.destroy();
  });

  test("end if the client reads too slowly", async () => {
    use.opened = { ...use.opened, size: 100_000_000 };
    const { socket, ended } = raw(["GET /v1/file/1AB HTTP/1.1", "Host: localhost", "appkey: key", "sessionid: id"], {
      unread: true,
    });
    let received = 0;
    socket.on("data", (piece: Buffer) => {
      received += piece.length;
      socket.pause();
      setTimeout(() => socket.resume(), piece.length / 8_000);
    });
    await ended;
    expect(use.observed).toMatchObject({ code: 699, detail: "The client reads too slowly." });
    expect(received).toBeLessThan(use.opened.size / 2);
  });

  test("that fail after the first byte end the connection", async () => {
    const { openFile } = useCases;
    Object.assign(useCases, {
      openFile: async () => ({
        ...use.opened,
        read: async () =>
          (async function* () {
            yield content.subarray(0, 1_000);
            throw new ServiceError(707);
          })(),
      }),
    });
    await expect(send("GET", "/v1/file/1AB")).rejects.toThrow(/terminated|failed/);
    Object.assign(useCases, {
      openFile: async () => ({
        ...use.opened,
        read: async () => {
          throw new ServiceError(707);
        },
      }),
    });
    expect(await send("GET", "/v1/file/1AB")).toMatchObject({ status: 500, code: "707" });
    Object.assign(useCases, { openFile });
  });
});

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
      expect([headers.get("last-modified"), headers.get("repr-digest")]).toEqual([null, null]);
      expect(headers.get("cache-control")).toBe("no-store");
    }
    const refused = await send("GET", "/v1/file/1AB", undefined, secure(21n, { range: "bytes=999999-" }));
    expect(refused.status).toBe(416);
    expect(envelope(refused).status.internalStatus).toBe("600");
  });
});
