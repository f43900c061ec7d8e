import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { ClientSession } from "@sallyport/client";
import type { Database, Upload } from "@sallyport/core";
import { logOutIn } from "../client.ts";
import { form, formType, md5, octets, senderOf, sha256, startChunk } from "./file-sender.ts";
import { openSession } from "../open-session.ts";
import { onFileServers } from "./on-file-servers.ts";
import { testedModes } from "../modes.ts";

/** Uploads and downloads in one mode. */
await onFileServers("uploads and downloads", (server) => {
  describe.each(testedModes)("in mode %s", (mode) => {
    let session: ClientSession;
    beforeAll(async () => {
      session = await openSession(server(), mode, "admin");
    });
    const send = senderOf(server, () => session);

    test("the sequence of today's clients stores a file", async () => {
      const bytes = randomBytes(200_000);
      const { uploadId } = (await send("GET", "/v1/uploadFile", undefined, { "content-type": "application/json" }))
        .data;
      expect(uploadId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      const uploaded = await send("POST", `/v1/uploadFile/${uploadId}`, form(bytes, { name: "" }), formType);
      expect(uploaded.data).toMatchObject({ uploadId, size: bytes.length, hash: md5(bytes) });
      expect(uploaded.data.ranges).toEqual([{ first: 0, last: bytes.length - 1 }]);
      const finished = await send("PATCH", `/v1/uploadFile/${uploadId}`, undefined, {
        "content-type": "application/json",
      });
      expect(finished.data).toMatchObject({
        "~ClassName": "File",
        "~ObjectID": expect.stringMatching(/^[0-9A-Z]+$/),
        Name: "report.pdf",
        Size: bytes.length,
        MediaType: "application/pdf",
        Sha256: sha256(bytes),
      });
      const download = await send("GET", `/v1/file/${finished.data["~ObjectID"]}`);
      expect(download.bytes.equals(bytes)).toBe(true);
      // In a secure session, no header tells anything about the file.
      const [type, disposition] =
        mode === "secure" ? [octets["content-type"], ""] : ["application/pdf", '; filename="report.pdf"'];
      expect(download.headers.get("content-type")).toBe(type);
      expect(download.headers.get("content-disposition")).toBe(`attachment${disposition}`);
      const byUuid = await send("GET", `/v1/file/${finished.data["~UUID"]}`, undefined, { range: "bytes=10-19" });
      expect([byUuid.status, byUuid.bytes.equals(bytes.subarray(10, 20))]).toEqual([206, true]);
      expect((await send("GET", `/v1/uploadFile/${uploadId}`)).code).toBe("603");
    });

    test("chunks arrive in any order, twice, and resume", async () => {
      const bytes = randomBytes(30_000);
      const { uploadId } = (await send("GET", "/v1/uploadFile")).data;
      const path = `/v1/uploadFile/${uploadId}`;
      const chunk = (first: number, last: number, body = bytes.subarray(first, last + 1)) =>
        send("PATCH", path, body, { ...octets, "content-range": `bytes ${first}-${last}/${bytes.length}` });
      expect((await chunk(10_000, 19_999)).data).toMatchObject({ size: 0, ranges: [{ first: 10_000, last: 19_999 }] });
      expect((await send("PATCH", path)).code).toBe("600");
      expect((await chunk(0, 9_999)).data).toMatchObject({ size: 20_000, hash: md5(bytes.subarray(0, 20_000)) });
      expect((await chunk(5_000, 14_999)).data).toMatchObject({ size: 20_000 });
      expect((await chunk(15_000, 15_002, Buffer.from("xyz"))).code).toBe("600");
      expect((await chunk(20_000, 29_999, bytes.subarray(0, 5))).code).toBe("600");
      expect((await send("GET", path)).data).toMatchObject({ size: 20_000 });
      const last = { ...formType, "content-range": `bytes 20000-29999/${bytes.length}` };
      expect((await send("PATCH", path, form(bytes.subarray(20_000)), last)).data).toMatchObject({
        size: 30_000,
        hash: md5(bytes),
      });
      const { data } = await send("PATCH", path);
      expect((await send("GET", `/v1/file/${data["~ObjectID"]}`)).bytes.equals(bytes)).toBe(true);
    });

    test("a form stores a file in one request, and an upload replaces it", async () => {
      const stored = await send(
        "POST",
        "/v1/uploadFile",
        form("first", { name: "file", filename: "größe.txt" }),
        formType,
      );
      expect(stored.data).toMatchObject({ "~ClassName": "File", Name: "größe.txt", Size: 5 });
      expect(stored.headers.get("etag")).toBe('"1"');
      const id = stored.data["~ObjectID"];
      const first = await send("GET", `/v1/file/${id}`);
      const etag = first.headers.get("etag") ?? "";
      expect((await send("GET", `/v1/file/${id}`, undefined, { "if-none-match": etag })).status).toBe(304);
      const { uploadId } = (await send("GET", "/v1/uploadFile")).data;
      await send("POST", `/v1/uploadFile/${uploadId}`, form("second one"), formType);
      const replaced = await send("PATCH", `/v1/uploadFile/${uploadId}?replaceOID=${id}`);
      expect(replaced.data).toMatchObject({ "~ObjectID": id, Size: 10 });
      const second = await send("GET", `/v1/file/${id}`, undefined, { "if-none-match": etag });
      expect([second.status, second.bytes.toString()]).toEqual([200, "second one"]);
      await send("DELETE", `/v1/object/${id}`);
      expect((await send("GET", `/v1/file/${id}`)).code).toBe("609");
    });

    test("nothing is accepted after a log-out was answered", async () => {
      const { records } = (server().databases.get("") as Database).storage.repositories;
      for (let round = 0; round < 10; round += 1) {
        const own = await openSession(server(), mode, "admin");
        const { uploadId } = (await senderOf(server, () => own)("GET", "/v1/uploadFile")).data;
        const received = async () => {
          const [upload] = await records.get<Upload>("upload", [uploadId]);
          return (upload?.value.received ?? []).reduce((sum, { first, last }) => sum + last + 1 - first, 0);
        };
        const { request, end } = await startChunk(server(), own, `/v1/uploadFile/${uploadId}`);
        const answered = once(request, "response");
        end();
        expect(await logOutIn(server(), own)).toBe("0");
        const atLogOut = await received();
        const [{ statusCode }] = await answered;
        expect([await received(), statusCode === 200 ? 10 : 0]).toEqual([atLogOut, atLogOut]);
        request.destroy();
      }
    });

    test("an upload is its user's, and one writer's at a time", async () => {
      const other = await openSession(server(), mode, "demo");
      const { uploadId } = (await send("GET", "/v1/uploadFile")).data;
      const path = `/v1/uploadFile/${uploadId}`;
      expect((await senderOf(server, () => other)("GET", path)).code).toBe("603");
      const { request: writing } = await startChunk(server(), session, path);
      expect((await send("PATCH", path, "0123456789", { ...octets, "content-range": "bytes 0-9/10" })).code).toBe(
        "606",
      );
      expect((await send("PATCH", path)).code).toBe("606");
      expect((await send("DELETE", path)).code).toBe("605");
      writing.destroy();
      let again = await send("PATCH", path, "0123456789", { ...octets, "content-range": "bytes 0-9/10" });
      while (again.code === "606")
        again = await send("PATCH", path, "0123456789", { ...octets, "content-range": "bytes 0-9/10" });
      expect(again).toMatchObject({ code: "0", data: { size: 10 } });
      expect((await send("DELETE", path)).data).toEqual({});
      expect((await send("GET", path)).code).toBe("603");
    });
  });
});
