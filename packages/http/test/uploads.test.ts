import { randomBytes } from "node:crypto";
import { until } from "@sallyport/test-kit/jest/until";
import {
  use,
  send,
  boundary,
  formType,
  part,
  field,
  form,
  file,
  whole,
  found,
  useFileServer,
  stateOf,
  upload,
  uploadPace,
  raw,
  patchHead,
} from "./file-fixture.ts";
import { once } from "node:events";
import { type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { jest } from "@jest/globals";
import { ServiceError } from "@sallyport/storage";

useFileServer();

describe("uploads", () => {
  test("begin, show their state, and end without a body", async () => {
    expect((await send("GET", "/v1/uploadFile")).data).toEqual({ ...stateOf(0), expiresAt: "time 1" });
    expect((await send("GET", whole)).data).toMatchObject({ size: 7 });
    expect((await send("DELETE", whole)).data).toEqual({});
    const finished = await send("PATCH", `${whole}?replaceOID=1AB`, undefined, { "content-type": "application/json" });
    expect(finished.data).toMatchObject({ replace: { kind: "id", id: "1AB" }, expectedVersions: null });
    expect(finished.headers.get("etag")).toBe('"3"');
    expect((await send("PATCH", `${whole}?replaceOID=File`)).code).toBe("307");
    const named = await send("PATCH", `${whole}?name=a%2Fb.txt&mediaType=text/plain`);
    expect(named.data).toMatchObject({ description: { name: "a/b.txt", mediaType: "text/plain" } });
    for (const method of ["PATCH", "DELETE"]) expect((await send(method, "/v1/uploadFile")).code).toBe("601");
    expect((await send("PATCH", "/v1/uploadFile", "a", { "content-type": "application/octet-stream" })).code).toBe(
      "601",
    );
  });

  test.each([
    ["an empty field name", part('name=""; filename="a.txt"')],
    ["no field name", part('filename="a.txt"')],
    ["a field name", file()],
  ])("take a form with %s", async (_title, body) => {
    for (const path of [whole, "/v1/uploadFile"]) {
      use.received = null;
      expect((await send("POST", path, form(field("", "x"), body), formType)).code).toBe("0");
      expect(use.received).toMatchObject({
        range: null,
        name: "a.txt",
        mediaType: "text/plain",
        bytes: Buffer.from("abc"),
      });
    }
  });

  test.each([
    ["UTF-8", 'filename="größe ☃.txt"', "größe ☃.txt"],
    ["escapes of forms", 'filename="a%22b%0D%0Ac%41.txt"', 'a"b\r\nc%41.txt'],
    ["RFC 5987", "filename*=UTF-8''gr%C3%B6%C3%9Fe.txt", "größe.txt"],
    ["folders", 'filename="../a/b.txt"', "../a/b.txt"],
    ["none", "x=y", null],
  ])("pass the file name on: %s", async (_title, filename, name) => {
    const body = form(part(`name="f"; ${filename}`, "abc", "Content-Type: application/octet-stream\r\n"));
    await send("POST", whole, body, formType);
    expect(use.received?.name).toBe(name);
    if (name === null) return;
    expect((await send("POST", "/v1/uploadFile", body, formType)).code).toBe("0");
    expect(use.received?.name).toBe(name);
  });

  test.each([
    ["bytes 0-2/3", { first: 0, last: 2, total: 3 }],
    ["bytes  3-5/*", { first: 3, last: 5, total: null }],
    ["Bytes 9-1/2", { first: 9, last: 1, total: 2 }],
  ])("take a chunk with %s", async (header, range) => {
    const headers = { "content-range": header, "content-type": "application/octet-stream" };
    expect((await send("PATCH", whole, "abc", headers)).code).toBe("0");
    expect(use.received).toMatchObject({ range, name: null, mediaType: null, bytes: Buffer.from("abc") });
    await send("PATCH", whole, form(file("xyz")), { ...headers, ...formType });
    expect(use.received).toMatchObject({ range, name: "a.txt", bytes: Buffer.from("xyz") });
  });

  test.each([
    "",
    "bytes",
    "bytes a-b/3",
    "bytes 0-2",
    "bytes */3",
    "items 0-2/3",
    "bytes -1-2/3",
    "bytes 0-2/3, bytes 0-2/3",
  ])("refuse the range %j", async (header) => {
    const headers = { "content-range": header, "content-type": "application/octet-stream" };
    const answer = await send("PATCH", whole, "abc", headers);
    expect([answer.status, answer.code]).toEqual([416, "600"]);
  });

  test("refuse a range without bytes", async () => {
    expect((await send("PATCH", whole, undefined, { "content-range": "bytes 0-2/3" })).code).toBe("604");
  });

  test.each([
    ["no body", undefined, formType, "300"],
    ["no body and no type", undefined, {}, "207"],
    ["JSON", "{}", { "content-type": "application/json" }, "207"],
    ["bytes", "abc", { "content-type": "application/octet-stream" }, "207"],
    ["no boundary", "abc", { "content-type": "multipart/form-data" }, "207"],
    ["a long boundary", "abc", { "content-type": `multipart/form-data; boundary=${"x".repeat(71)}` }, "207"],
    ["another multipart type", form(file()), { "content-type": `multipart/mixed; boundary=${boundary}` }, "207"],
    ["compressed bytes", form(file()), { ...formType, "content-encoding": "gzip" }, "207"],
    ["a form without parts", form(), formType, "500"],
    ["a form with fields only", form(field("a", "b")), formType, "500"],
    ["two files", form(file(), file()), formType, "503"],
    ["10,000 files", form(...Array.from({ length: 10_000 }, () => file())), formType, "503"],
    ["10,000 fields", form(...Array.from({ length: 10_000 }, () => field("a", "b")), file()), formType, "307"],
    [
      "10,000 fields after the file",
      form(file(), ...Array.from({ length: 10_000 }, () => field("a", "b"))),
      formType,
      "307",
    ],
    ["no end boundary", file(), formType, "699"],
    ["no boundary in the body", "abc", formType, "699"],
    ["nothing but preamble", Buffer.alloc(2_000_000), formType, "699"],
    ["a truncated part", file().subarray(0, 40), formType, "699"],
    [
      "1 MiB of part headers",
      form(part('name="f"; filename="a"', "abc", `X: ${"y".repeat(1024 * 1024)}\r\n`)),
      formType,
      "699",
    ],
    ["a part header that is none", form(part('name="f"; filename="a"', "abc", "\u0000\r\n")), formType, "699"],
  ])("refuse %s", async (_title, body, headers, code) => {
    const answers = [await send("POST", whole, body, headers), await send("POST", "/v1/uploadFile", body, headers)];
    expect(answers.map((answer) => answer.code)).toEqual([code, code]);
    expect(use.received).toBeNull();
  });

  test.each(["x[4294967295]", "x[a][b]"])("of one request refuse the field %s", async (name) => {
    expect((await send("POST", "/v1/uploadFile", form(field(name, "1"), file()), formType)).code).toBe("307");
    expect((await send("POST", whole, form(field(name, "1"), file()), formType)).code).toBe("0");
  });

  test.each([
    ["a long value", [field("a", "x".repeat(4_097)), file()]],
    ["two values", [field("a", "b"), file(), field("a", "b")]],
  ])("refuse a field with %s", async (_title, parts) => {
    for (const path of [whole, "/v1/uploadFile"])
      expect((await send("POST", path, form(...parts), formType)).code).toBe("307");
  });

  test("of one request take fields before and after the file, also hostile ones", async () => {
    const body = form(field("path", "/a"), field("__proto__", "x"), file(), field("constructor", "y"));
    expect(await send("POST", "/v1/uploadFile", body, formType)).toMatchObject({ code: "0", data: found.object });
    expect(use.received?.fields["path"]).toBe("/a");
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
  });

  test.each([
    ["\0", "a\0b"],
    ["DEL", "a\u007fb"],
    ["a line break", "a\r\nb"],
    ["a line break at its end", "a.txt\n"],
    ["an escaped quote before", 'a\\"\u0001b'],
  ])("refuse a name with %s in a part header", async (_title, name) => {
    const body = form(field("a", "b"), part(`name="f"; filename="${name}"`));
    for (const path of [whole, "/v1/uploadFile"]) {
      expect((await send("POST", path, body, formType)).code).toBe("502");
      expect((await send("POST", path, form(part(`name="f"; filename=a\0b`)), formType)).code).toBe("502");
    }
  });

  test("pass large files on, byte by byte", async () => {
    const bytes = randomBytes(5_000_000);
    for (const path of [whole, "/v1/uploadFile"]) {
      expect((await send("POST", path, form(file(bytes)), formType)).code).toBe("0");
      expect(use.received?.bytes.equals(bytes)).toBe(true);
    }
  });

  test("work inside a multi request without bytes, and never with bytes", async () => {
    const items = [
      { method: "GET", path: "/v1/uploadFile" },
      { method: "GET", path: whole },
      { method: "PATCH", path: whole },
      { method: "POST", path: whole, data: {} },
      { method: "POST", path: "/v1/uploadFile", data: {} },
      { method: "GET", path: "/v1/file/1AB" },
    ];
    const answer = await send("POST", "/v1/multi", JSON.stringify(items), { "content-type": "application/json" });
    expect(answer).toMatchObject({ code: "0" });
    const codes = (answer.data as unknown as { result: { status: { internalStatus: string } } }[]).map(
      ({ result }) => result.status.internalStatus,
    );
    expect(codes).toEqual(["0", "0", "0", "307", "307", "307"]);
  });
});

describe("bodies of uploads", () => {
  test("are asked for after all checks", async () => {
    use.check = () => {
      throw new ServiceError(606);
    };
    const refused = upload({ expect: "100-continue", "content-length": "10" });
    const continued = jest.fn();
    refused.sent.on("continue", continued).flushHeaders();
    expect(await refused.answer).toEqual({ status: 409, code: "606", connection: "close" });
    expect(continued).not.toHaveBeenCalled();
    use.check = () => {};
    const taken = upload({ expect: "100-continue", "content-length": "10" });
    taken.sent.flushHeaders();
    await once(taken.sent, "continue");
    taken.sent.end("0123456789");
    expect(await taken.answer).toMatchObject({ status: 200, code: "0" });
    for (const headers of [{ sessionid: "other" }, { "content-type": "text/plain" }]) {
      const early = upload({ expect: "100-continue", "content-length": "10", ...headers });
      early.sent.on("continue", continued).flushHeaders();
      expect((await early.answer).status).toBeGreaterThanOrEqual(400);
    }
    expect(continued).not.toHaveBeenCalled();
  });

  test.each([
    ["a chunk", upload, { "content-range": "bytes 0-9/10" }],
    ["a whole upload", (headers: Record<string, string>) => upload(headers, whole, "POST"), formType],
    ["one request", (headers: Record<string, string>) => upload(headers, "/v1/uploadFile", "POST"), formType],
    [
      "a body that is no file",
      (headers: Record<string, string>) => upload(headers, "/v1/execute/macro", "POST"),
      { "content-type": "application/json" },
    ],
  ] as const)("are not asked for if %s is longer than its limit", async (_title, begin, headers) => {
    const { sent, answer } = begin({ expect: "100-continue", "content-length": "101000000", ...headers });
    const continued = jest.fn();
    sent.on("continue", continued).flushHeaders();
    expect(await answer).toEqual({ status: 413, code: "801", connection: "close" });
    expect(continued).not.toHaveBeenCalled();
    sent.destroy();
  });

  test("may be empty in chunks where they are optional", async () => {
    const finished = upload({
      "transfer-encoding": "chunked",
      "content-type": "application/json",
      "content-range": "",
    });
    finished.sent.flushHeaders();
    finished.sent.end();
    expect((await finished.answer).code).toBe("0");
    expect(use.received).toBeNull();
    const chunk = upload({ "transfer-encoding": "chunked" });
    chunk.sent.flushHeaders();
    chunk.sent.end();
    expect((await chunk.answer).code).toBe("604");
  });

  test("outlast the time-out of requests while bytes arrive", async () => {
    const { sent, answer } = upload({});
    for (let piece = 0; piece < 10; piece += 1) {
      sent.write("x".repeat(2_000));
      await pause(100);
    }
    sent.end();
    expect(await answer).toMatchObject({ status: 200, code: "0" });
    expect(use.received?.bytes).toHaveLength(20_000);
  });

  test("end with 699 if the client is silent", async () => {
    const { sent, answer } = upload({});
    sent.write("x".repeat(100_000));
    expect(await answer).toEqual({ status: 400, code: "699", connection: "close" });
    expect(use.failure).toMatchObject({ code: 699, detail: "The client stopped sending the body." });
  });

  test("end with 699 if the client is too slow", async () => {
    const { sent, answer } = upload({});
    const timer = setInterval(() => sent.write("x"), 50);
    expect(await answer).toEqual({ status: 400, code: "699", connection: "close" });
    clearInterval(timer);
    expect(use.observed).toMatchObject({ code: 699, detail: "The client sends the body too slowly." });
  });

  test("are read no faster than they are stored, without blaming the client", async () => {
    let pieces = 0;
    use.onPiece = async () => {
      pieces += 1;
      if (pieces === 2) await pause(1_500);
    };
    const bytes = randomBytes(20_000_000);
    const { sent, answer } = upload({ "content-length": String(bytes.length) });
    sent.end(bytes);
    await pause(1_000);
    const [socket] = [sent.socket as Socket];
    expect(socket.bytesWritten - socket.writableLength).toBeLessThan(15_000_000);
    expect(await answer).toMatchObject({ status: 200, code: "0" });
    expect(use.received?.bytes.equals(bytes)).toBe(true);
  });

  test("of many clients are handled a few pieces at a time, so that other requests have their turns", async () => {
    let [pieces, most, isOver] = [0, 0, false];
    const watch = () => {
      most = Math.max(most, pieces);
      pieces = 0;
      if (!isOver) setImmediate(watch);
    };
    use.onPiece = () => void (pieces += 1);
    watch();
    const bytes = Buffer.alloc(1_000_000);
    const all = Array.from({ length: 50 }, () => upload({ "content-length": String(bytes.length) }));
    for (const { sent } of all) sent.end(bytes);
    for (const { answer } of all) expect((await answer).code).toBe("0");
    isOver = true;
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(10);
  });

  test("that break off end the iteration with 699", async () => {
    for (const path of [whole, "/v1/uploadFile"]) {
      const { sent } = upload({ ...formType }, path, "POST");
      sent.write(file("x".repeat(100_000)));
      const first = new Promise<void>((resolve) => {
        use.onPiece = () => resolve();
      });
      await first;
      sent.destroy();
      await until(() => use.failure !== null);
      expect(use.failure).toMatchObject({ code: 699 });
    }
  });

  test("that are refused before their bytes are read may end early", async () => {
    use.accept = () => {
      throw new ServiceError(702);
    };
    for (const path of [whole, "/v1/uploadFile"]) {
      const body = file("x".repeat(200_000));
      expect((await send("POST", path, body, formType)).code).toBe("702");
      const { sent } = upload({ ...formType }, path, "POST");
      use.failure = null;
      sent.write(body);
      await until(() => use.failure !== null);
      sent.destroy();
    }
  });

  test("with invalid framing end with 699", async () => {
    const { socket, ended } = raw([...patchHead, "Transfer-Encoding: chunked"]);
    socket.write("3\r\nabc\r\nZZ\r\n");
    expect(await ended).toMatch(/^HTTP\/1\.1 400 [^]*"699"/);
    expect(use.observed).toMatchObject({ code: 699 });
  });

  test("that are refused are read to their end, up to 8 MiB", async () => {
    use.check = () => {
      throw new ServiceError(603);
    };
    const small = raw([...patchHead, "Content-Length: 4000000"]);
    small.socket.write(Buffer.alloc(4_000_000));
    small.socket.write("GET /_CheckService HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    expect(await small.ended).toMatch(/"603"[^]*HTTP\/1\.1 200 /);
    const endless = raw([...patchHead, "Transfer-Encoding: chunked"]);
    const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`;
    const timer = setInterval(() => {
      for (let count = 0; count < 20; count += 1) endless.socket.write(chunk);
    }, 5);
    expect(await endless.ended).toMatch(/"603"/);
    clearInterval(timer);
    expect(endless.socket.bytesWritten).toBeGreaterThan(8 * 1024 * 1024);
    expect(use.application.connections.areServing).toBe(false);
  });

  test("200 at once from one address are taken, and more are refused", async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    use.check = () => void (use.ready += 1);
    use.onPiece = () => released;
    // On a busy machine, it takes longer to receive so many.
    uploadPace.silence = 20_000;
    const all = Array.from({ length: 200 }, () => upload({ "content-length": "10" }));
    for (const { sent } of all) sent.write("01234");
    await until(() => use.ready >= 200);
    const more = upload({ "content-length": "10" });
    more.sent.end("0123456789");
    expect(await more.answer).toMatchObject({ status: 503, code: "706" });
    expect((await send("GET", "/v1/file/1AB")).code).toBe("706");
    expect((await send("GET", whole)).code).toBe("0");
    release();
    for (const { sent } of all) sent.end("56789");
    const codes = await Promise.all(all.map(({ answer }) => answer.then(({ code }) => code)));
    expect(new Set(codes)).toEqual(new Set(["0"]));
  });
});
