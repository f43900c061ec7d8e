import { administrationOf, type Database, putSyncSchema } from "@sallyport/core";
import { form, formType, octets, type Sender, senderOf } from "./file-sender.ts";
import { openSession } from "../open-session.ts";
import { onFileServers } from "./on-file-servers.ts";
import { testedModes } from "../modes.ts";

/** The names of files in one mode: those of raw bytes, and those that are changed. */
await onFileServers("names of files", (server) => {
  describe.each(testedModes)("in mode %s", (mode) => {
    let [demo, reader]: Sender[] = [];
    beforeAll(async () => {
      const sessions = [await openSession(server(), mode, "demo"), await openSession(server(), mode, "reader")];
      [demo, reader] = sessions.map((session) => senderOf(server, () => session));
    });
    const send: Sender = (...request) => (demo as Sender)(...request);
    const chunk = { ...octets, "content-range": "bytes 0-2/3" };

    describe("raw bytes", () => {
      test.each([
        ["at the begin", "?name=gr%C3%B6%C3%9Fe.txt&mediaType=Text/Plain", "", "größe.txt", "text/plain"],
        ["at the end", "", "?name=end.csv&mediaType=text/csv", "end.csv", "text/csv"],
        ["at both, and the end counts", "?name=a.txt&mediaType=text/plain", "?name=b.txt", "b.txt", "text/plain"],
      ])("are named %s", async (_title, begin, end, Name, MediaType) => {
        const path = `/v1/uploadFile/${(await send("GET", `/v1/uploadFile${begin}`)).data.uploadId}`;
        expect((await send("PATCH", path, "abc", chunk)).code).toBe("0");
        expect((await send("PATCH", path + end)).data).toMatchObject({ Name, MediaType, Size: 3 });
      });

      test("without a name have that of their upload", async () => {
        const { uploadId } = (await send("GET", "/v1/uploadFile")).data;
        await send("PATCH", `/v1/uploadFile/${uploadId}`, "abc", chunk);
        expect((await send("PATCH", `/v1/uploadFile/${uploadId}?name=CON`)).code).toBe("502");
        expect((await send("PATCH", `/v1/uploadFile/${uploadId}`)).data).toMatchObject({
          Name: uploadId,
          MediaType: null,
        });
      });
    });

    describe("a stored file", () => {
      let id: string;
      beforeEach(async () => {
        id = (await send("POST", "/v1/uploadFile", form("abc", { name: "" }), formType)).data["~ObjectID"];
      });
      const rename = (attributes: object, by: Sender = send) => by("PATCH", `/v1/object/${id}`, attributes);
      const headOf = async (more = {}) => (await send("GET", `/v1/file/${id}`, undefined, more)).headers;

      test("is renamed by a write of its object, and its bytes stay", async () => {
        const before = await headOf();
        const renamed = await rename({ Name: "größe.txt", MediaType: "Text/Plain; charset=utf-8" });
        expect(renamed.data).toMatchObject({ Name: "größe.txt", MediaType: "text/plain", Size: 3 });
        expect((await send("GET", `/v1/object/${id}`)).data).toMatchObject({
          Name: "größe.txt",
          MediaType: "text/plain",
        });
        const after = await headOf();
        expect(after.get("etag")).toBe(before.get("etag"));
        expect(
          (await send("GET", `/v1/file/${id}`, undefined, { "if-none-match": after.get("etag") ?? "" })).status,
        ).toBe(304);
        expect((await rename({ MediaType: null })).data).toMatchObject({ Name: "größe.txt", MediaType: null });
        if (mode === "secure") return;
        expect(after.get("content-type")).toBe("text/plain");
        expect(after.get("content-disposition")).toContain("filename*=UTF-8''gr%C3%B6%C3%9Fe.txt");
        expect((await headOf()).get("content-type")).toBe("application/octet-stream");
        // The SHA-256 of "abc".
        const digest = "sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:";
        for (const headers of [before, after, await headOf({ range: "bytes=1-1" })])
          expect(headers.get("repr-digest")).toBe(digest);
        const stored = (await send("GET", `/v1/object/${id}`)).data["~StoreTime"] as string;
        const [, ...parts] = /^(....)(..)(..)T(..)(..)(..)(.*)$/.exec(stored) as unknown as string[];
        const [year, month, day, hour, minute, second, zone] = parts;
        const time = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`);
        expect((await headOf()).get("last-modified")).toBe(time.toUTCString());
      });

      test.each([
        ["", "502"],
        ["a/b", "502"],
        ["a\nb", "502"],
        ["CON.txt", "502"],
        ["a.", "502"],
        ["x".repeat(256), "502"],
        [null, "307"],
        [7, "307"],
      ])("is not renamed to %j", async (Name, code) => {
        expect((await rename({ Name })).code).toBe(code);
        expect((await send("GET", `/v1/object/${id}`)).data).toMatchObject({ Name: "report.pdf" });
      });

      test("gets no malformed media type, no other size and no other digest", async () => {
        expect((await rename({ MediaType: "text" })).code).toBe("307");
        for (const attributes of [{ Size: 1 }, { Sha256: "00" }]) expect((await rename(attributes)).code).toBe("404");
      });

      test("is renamed only by users that may write it, and not with others at once", async () => {
        expect((await rename({ Name: "b.txt" }, reader)).code).toBe("404");
        const query = encodeURIComponent(JSON.stringify({ oids: [id] }));
        expect((await send("PATCH", `/v1/objects/File?query=${query}`, { Name: "b.txt" })).code).toBe("307");
      });

      test("is renamed by devices that synchronize, under the same rules", async () => {
        const schema = `Files_${mode}`;
        const database = server().databases.get("") as Database;
        await putSyncSchema(administrationOf(database), { name: schema, classes: [{ className: "File" }] });
        const { "~UUID": uuid } = (await send("GET", `/v1/object/${id}`)).data;
        const put = (syncVersion: string, fields: object) =>
          send("PUT", `/v1/sync/${schema}/${uuid}`, { syncVersion, fields });
        expect((await put("1", { Name: "a/b" })).code).toBe("502");
        expect((await put("1", { Size: 1 })).code).toBe("332");
        const op = { id: crypto.randomUUID(), op: "put", uuid, syncVersion: "1", fields: { Name: "synced.txt" } };
        const pushed = await send("POST", `/v1/sync/${schema}/push`, { syncVersion: "0", ops: [op] });
        expect(pushed.data.results).toMatchObject([{ internalStatus: "0", version: 2 }]);
        if (mode !== "secure") expect((await headOf()).get("content-disposition")).toContain('"synced.txt"');
      });

      test("is renamed by macros, and by the bytes that replace its own", async () => {
        const { data } = await send("POST", "/v1/execute/Steps", { steps: [["update", id, { Name: "macro.txt" }]] });
        expect(data).toMatchObject([{ version: 2 }]);
        if (mode !== "secure") expect((await headOf()).get("content-disposition")).toContain('"macro.txt"');
        const { uploadId } = (await send("GET", "/v1/uploadFile?name=next.txt")).data;
        await send("PATCH", `/v1/uploadFile/${uploadId}`, "xyz", chunk);
        await send("PATCH", `/v1/uploadFile/${uploadId}?replaceOID=${id}`);
        if (mode !== "secure") expect((await headOf()).get("content-disposition")).toContain('"next.txt"');
      });
    });
  });
});
