import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { request as startRequest } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { ClientSession } from "@sallyport/client";
import type { Database } from "@sallyport/core";
import { until } from "@sallyport/test-kit/jest/until";
import { logIn } from "../cases/run-cases.ts";
import { call } from "../client.ts";
import { onEngines } from "../engines.ts";
import { newCustomUser } from "../new-custom-user.ts";
import { openSession } from "../open-session.ts";
import { boundary, form, formType, md5, octets, senderOf, sha256 } from "./file-sender.ts";
import { modes } from "../modes.ts";
import { appKey } from "../subject.ts";
import { callSecurely, counterBlock, demoFields, logInSecurely, openSecurely } from "../secure/secure-client.ts";
import { countFiles, fileEnvironment } from "./on-file-servers.ts";

/** Number of open descriptors of this process; 0 where the system does not tell. */
function openDescriptors(): number {
  return existsSync("/proc/self/fd") ? readdirSync("/proc/self/fd").length : 0;
}

/** The rules that do not depend on the engine. */
onEngines(
  "uploads",
  (server) => {
    let sessionId: string;
    let session: ClientSession;
    beforeAll(async () => {
      sessionId = await logIn(server(), "admin");
      session = await openSession(server(), "session", "admin");
    });
    const send = senderOf(server, () => session);
    const begin = async () => (await send("GET", "/v1/uploadFile")).data.uploadId as string;

    test("a multi request begins, reads and finishes uploads", async () => {
      const uploadId = await begin();
      await send("POST", `/v1/uploadFile/${uploadId}`, form("abc"), formType);
      const items = [
        { method: "GET", path: "/v1/uploadFile" },
        { method: "GET", path: `/v1/uploadFile/${uploadId}` },
        { method: "PATCH", path: `/v1/uploadFile/${uploadId}` },
        { method: "POST", path: "/v1/uploadFile" },
      ];
      const { body } = await call(server(), "/v1/multi", { method: "POST", sessionId, body: items });
      expect(body.data.map(({ result }: ReturnType<typeof JSON.parse>) => result.status.internalStatus)).toEqual([
        "0",
        "0",
        "0",
        "307",
      ]);
      const [first, second, third] = body.data.map(({ result }: ReturnType<typeof JSON.parse>) => result.data);
      expect(first.uploadId).not.toBe(uploadId);
      expect([second.size, third.Name]).toEqual([3, "report.pdf"]);
    });

    test("a multi request with a key begins and finishes uploads once", async () => {
      const uploadId = await begin();
      await send("POST", `/v1/uploadFile/${uploadId}`, form("abc"), formType);
      const items = [
        { method: "GET", path: "/v1/uploadFile" },
        { method: "PATCH", path: `/v1/uploadFile/${uploadId}` },
      ];
      const headers = { "idempotency-key": uploadId };
      const once = async () =>
        (await call(server(), "/v1/multi", { method: "POST", sessionId, headers, body: items })).body.data;
      const [first, again] = [await once(), await once()];
      expect(first.map(({ httpStatus }: ReturnType<typeof JSON.parse>) => httpStatus)).toEqual([200, 200]);
      expect(again).toEqual(first);
    });

    test("uploads outlast the time-out of requests, and silent ones do not outlast their own", async () => {
      const path = `/v1/uploadFile/${await begin()}`;
      const upload = () => {
        const headers = { appkey: appKey, sessionid: sessionId, ...octets, "content-range": "bytes 0-99999/100000" };
        const sent = startRequest(server().url + path, {
          method: "PATCH",
          headers: { ...headers, "content-length": 100_000 },
        });
        const answer = new Promise<{ code: string; connection: string | undefined }>((resolve, reject) => {
          sent.on("error", reject).on("response", async (response) => {
            const texts: string[] = [];
            for await (const text of response.setEncoding("utf8")) texts.push(text as string);
            resolve({
              code: JSON.parse(texts.join("")).status.internalStatus,
              connection: response.headers.connection,
            });
          });
        });
        return { sent, answer };
      };
      const silent = upload();
      silent.sent.write(Buffer.alloc(50_000));
      expect(await silent.answer).toEqual({ code: "699", connection: "close" });
      expect((await send("GET", path)).data).toMatchObject({ size: 0, ranges: [] });
      const slow = upload();
      for (let piece = 0; piece < 10; piece += 1) {
        slow.sent.write(Buffer.alloc(10_000));
        await pause(100);
      }
      slow.sent.end();
      expect((await slow.answer).code).toBe("0");
    });

    test("a broken or refused upload leaves nothing in the store", async () => {
      const before = countFiles();
      const path = `/v1/uploadFile/${await begin()}`;
      const sent = startRequest(server().url + path, {
        method: "POST",
        headers: { appkey: appKey, sessionid: sessionId, ...formType, "transfer-encoding": "chunked" },
      });
      sent.on("error", () => {});
      sent.write(form(Buffer.alloc(300_000)).subarray(0, 200_000));
      await until(() => countFiles() !== before);
      sent.destroy();
      await until(() => countFiles() <= before);
      const twice = Buffer.concat([form(Buffer.alloc(200_000)).subarray(0, -(boundary.length + 6)), form("b")]);
      expect((await send("POST", path, twice, formType)).code).toBe("503");
      expect((await send("POST", "/v1/uploadFile", twice, formType)).code).not.toBe("0");
      expect(countFiles()).toBe(before);
    });

    test("uploads of many clients run side by side", async () => {
      const bytes = randomBytes(50_000);
      const codes = await Promise.all(
        Array.from({ length: 40 }, async () => {
          const uploadId = await begin();
          return (await send("POST", `/v1/uploadFile/${uploadId}`, form(bytes), formType)).code;
        }),
      );
      expect(new Set(codes)).toEqual(new Set(["0"]));
    });

    test.each(modes)("a session of mode %s sends and receives bytes", async (mode) => {
      const opened = await openSession(server(), mode, "admin");
      const inMode = senderOf(server, () => opened);
      const stored = await inMode("POST", "/v1/uploadFile", form(), formType);
      expect(stored.code).toBe("0");
      expect((await inMode("GET", `/v1/file/${stored.data["~ObjectID"]}`)).bytes.toString()).toBe("abc");
      const path = `/v1/uploadFile/${(await inMode("GET", "/v1/uploadFile")).data.uploadId}`;
      expect((await inMode("PATCH", path, "xyz", { ...octets, "content-range": "bytes 0-2/3" })).code).toBe("0");
      expect((await inMode("PATCH", path)).data).toMatchObject({ Size: 3 });
    });

    test("custom users who act as one user have their own uploads", async () => {
      const password = "a custom password";
      const [one, other] = [
        await newCustomUser(server(), { password, user: "admin" }),
        await newCustomUser(server(), { password, user: "admin" }),
      ];
      const logInAs = async (user: string) =>
        (
          await call(server(), "/v1/auth/df", {
            method: "POST",
            body: { user, pass: password, appNames: ["demo-app"] },
          })
        ).body.data.sessionId as string;
      const sessions = [await logInAs(one.loginName), await logInAs(other.loginName), await logInAs(one.loginName)];
      const { body } = await call(server(), "/v1/uploadFile", { sessionId: sessions[0] as string });
      const path = `/v1/uploadFile/${body.data.uploadId}`;
      const codes = sessions.map((sessionId) => call(server(), path, { sessionId }).then(({ code }) => code));
      expect(await Promise.all(codes)).toEqual(["0", "603", "0"]);
      expect((await send("GET", path)).code).toBe("603");
    });

    test("an upload begun in a multi request that is rolled back leaves its folder to the collector", async () => {
      const { storage, files } = server().databases.get("") as Database;
      const names = async () => (await files.list({ after: null, limit: 10_000 })).map(({ file }) => file);
      const before = new Set(await names());
      const body = [
        { method: "GET", path: "/v1/uploadFile" },
        { method: "GET", path: "/v1/object/ZZZZZZ" },
      ];
      expect((await call(server(), "/v1/multi?atomic=true", { method: "POST", sessionId, body })).code).toBe("304");
      const left = (await names()).filter((name) => !before.has(name));
      const known = await storage.repositories.records.get("detachedFile", left);
      expect(known.map(({ id }) => id)).toEqual(left);
      expect(left).toHaveLength(1);
    });

    test("500 connections dropped in the middle of their bodies leave nothing", async () => {
      const { storage } = server().databases.get("") as Database;
      const before = { files: countFiles(), descriptors: openDescriptors() };
      const path = `/v1/uploadFile/${await begin()}`;
      const drop = async (index: number) => {
        const isWhole = index % 2 === 0;
        const sent = startRequest(server().url + (isWhole ? "/v1/uploadFile" : path), {
          method: isWhole ? "POST" : "PATCH",
          headers: {
            appkey: appKey,
            sessionid: sessionId,
            ...(isWhole ? formType : { ...octets, "content-range": "bytes 0-99999/100000" }),
            "content-length": 100_000,
          },
        });
        sent.on("error", () => {});
        sent.write(isWhole ? form(Buffer.alloc(50_000)).subarray(0, -20) : Buffer.alloc(50_000));
        await pause(20);
        sent.destroy();
      };
      for (let round = 0; round < 5; round += 1)
        await Promise.all(Array.from({ length: 100 }, (_, index) => drop(index)));
      let chunk = await send("PATCH", path, "abc", { ...octets, "content-range": "bytes 0-2/3" });
      while (chunk.code === "606")
        chunk = await send("PATCH", path, "abc", { ...octets, "content-range": "bytes 0-2/3" });
      expect(chunk).toMatchObject({ code: "0", data: { size: 3, hash: md5(Buffer.from("abc")) } });
      for (let tries = 0; tries < 100 && countFiles() > before.files + 1; tries += 1) await pause(50);
      expect(countFiles()).toBe(before.files + 1);
      const leases = () => storage.repositories.records.list("uploadLease", { after: null, limit: 10 });
      // A lease that is not given back lasts five seconds.
      for (let tries = 0; tries < 40 && (await leases()).length > 0; tries += 1) await pause(50);
      expect(await leases()).toEqual([]);
      for (let tries = 0; tries < 100 && openDescriptors() > before.descriptors + 5; tries += 1) await pause(50);
      expect(openDescriptors()).toBeLessThanOrEqual(before.descriptors + 5);
    }, 60_000);

    test("a secure session sends and receives ciphertext", async () => {
      const session = await logInSecurely(server(), { ...demoFields, user: "admin", pass: md5(Buffer.from("admin")) });
      const bytes = randomBytes(100_000);
      const secure = { appkey: appKey, "secure-token": session.token };
      const path = `/v1/uploadFile/${(await callSecurely(server(), session, "/v1/uploadFile")).body.data.uploadId}`;
      const sendChunk = async (number: bigint, first: number, plain: Buffer, type: Record<string, string>) => {
        const iv = counterBlock(session, number);
        const answer = await fetch(server().url + path, {
          method: "PATCH",
          headers: {
            ...secure,
            ...type,
            encrypted: `v=1;iv=${iv.toString("base64")}`,
            "content-range": `bytes ${first}-${first + 49_999}/${bytes.length}`,
          },
          body: new Uint8Array(createCipheriv("aes-256-ctr", session.key, iv).update(plain)),
        });
        expect(answer.headers.get("content-type")).toBe("application/text; charset=utf-8");
        const { status, headers } = answer;
        return openSecurely(session, { status, headers: Object.fromEntries(headers), text: await answer.text() });
      };
      const [head, rest] = [bytes.subarray(0, 50_000), bytes.subarray(50_000)];
      expect((await sendChunk(0n, 0, form(head), formType)).body.data).toMatchObject({ size: 50_000, hash: md5(head) });
      // The number is used up for all texts, and the upload does not change.
      for (const again of [head, rest]) expect((await sendChunk(0n, 50_000, again, octets)).code).toBe("312");
      expect((await callSecurely(server(), session, path)).body.data).toMatchObject({ size: 50_000 });
      expect((await sendChunk(1n, 50_000, rest, octets)).body.data).toMatchObject({ size: bytes.length });
      const finished = await callSecurely(server(), session, path, { method: "PATCH" });
      expect(finished.body.data).toMatchObject({ Name: "report.pdf", Size: bytes.length, Sha256: sha256(bytes) });
      for (const [range, expected, status] of [
        [{}, bytes, 200],
        [{ range: "bytes=33-" }, bytes.subarray(33), 206],
      ] as const) {
        const received = await fetch(`${server().url}/v1/file/${finished.body.data["~ObjectID"]}`, {
          headers: { ...secure, ...range },
        });
        expect([received.status, received.headers.get("content-length")]).toEqual([status, String(expected.length)]);
        const iv = Buffer.from(/iv=(.*)$/.exec(received.headers.get("encrypted") ?? "")?.[1] ?? "", "base64");
        expect(iv.readUInt32BE(12)).toBe(0);
        const ciphertext = Buffer.from(await received.arrayBuffer());
        expect(createDecipheriv("aes-256-ctr", session.key, iv).update(ciphertext).equals(expected)).toBe(true);
      }
    });
  },
  { environment: fileEnvironment, on: ["memory"] },
);
