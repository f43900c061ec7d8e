import { randomBytes } from "node:crypto";
import { until } from "@sallyport/test-kit/jest/until";
import { use, send, formType, file, whole, useFileServer, upload, uploadPace, raw, patchHead } from "./file-fixture.ts";
import { once } from "node:events";
import { type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { jest } from "@jest/globals";
import { ServiceError } from "@sallyport/storage";

useFileServer();

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
      "a body that is not a file",
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
