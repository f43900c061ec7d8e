import type { ClientSession } from "@sallyport/client";
import { addBan, administrationOf, type Database, removeBan } from "@sallyport/core";
import { SallyportClient } from "@sallyport/client";
import { linkFile } from "@sallyport/client/files";
import { until } from "@sallyport/test-kit/jest/until";
import { callIn, logOutIn, tryLogIn } from "../client.ts";
import { form, formType, octets, senderOf } from "./file-sender.ts";
import { newCustomUser } from "../new-custom-user.ts";
import { openSession } from "../open-session.ts";
import { logInWith } from "../second-factor-client.ts";
import { newUser } from "../new-user.ts";
import { onFileServers } from "./on-file-servers.ts";

const password = "the first password";

/** Addresses that give a file without credentials. */
await onFileServers("links to files", (server) => {
  describe("links", () => {
    let session: ClientSession;
    beforeAll(async () => {
      session = await openSession(server(), "session", "admin");
    });
    const send = senderOf(server, () => session);
    const database = () => server().databases.get("") as Database;
    const administration = () => administrationOf(database());

    const store = async (filename = "report.pdf", type = "application/pdf"): Promise<string> => {
      const bytes = Buffer.from(form("abc", { filename }).toString().replace("application/pdf", type));
      return (await send("POST", "/v1/uploadFile", bytes, formType)).data["~ObjectID"];
    };
    const create = async (id: string, more: object = {}, of: ClientSession = session) =>
      senderOf(server, () => of)("POST", `/v1/file/${id}/link`, more);
    const link = async (id: string, more?: object, of?: ClientSession): Promise<string> =>
      (await create(id, more, of)).data.url;
    const get = (url: string, headers: Record<string, string> = {}) => fetch(new URL(url, server().url), { headers });
    const statusOf = async (url: string) => {
      const answer = await get(url);
      await answer.arrayBuffer();
      return answer.status;
    };

    test("give all bytes or a range to everyone, and a browser stores and sends on nothing", async () => {
      const url = await link(await store("café.png", "image/png"));
      expect(url).toMatch(/^\/v1\/link\/[\w-]{43}\.[\w-]+$/);
      const answer = await get(url);
      expect([answer.status, await answer.text()]).toEqual([200, "abc"]);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        "accept-ranges": "bytes",
        "cache-control": "private, no-store",
        "content-disposition": `inline; filename="cafe.png"; filename*=UTF-8''caf%C3%A9.png`,
        "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
        "content-type": "image/png",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
      });
      const part = await get(url, { range: "bytes=1-" });
      expect([part.status, part.headers.get("content-range"), await part.text()]).toEqual([206, "bytes 1-2/3", "bc"]);
      expect((await get(url, { range: "bytes=3-" })).status).toBe(416);
      expect((await get(url, { "if-none-match": part.headers.get("etag") as string })).status).toBe(304);
    });

    test.each([
      ["a.svg", "image/svg+xml", "application/octet-stream"],
      ["a.html", "text/html", "application/octet-stream"],
      ["a.xml", "application/xml", "application/octet-stream"],
      ["a.pdf", "application/pdf", "application/pdf"],
      ["a.txt", "text/plain", "text/plain"],
    ])("send %s as an attachment", async (name, type, sent) => {
      const { headers } = await get(await link(await store(name, type)));
      expect([headers.get("content-type"), headers.get("content-disposition")]).toEqual([
        sent,
        `attachment; filename="${name}"`,
      ]);
    });

    test.each([["audio/ogg"], ["video/mp4"], ["image/webp"]])("show %s in a page", async (type) => {
      const { headers } = await get(await link(await store("a.bin", type)));
      expect(headers.get("content-disposition")).toBe('inline; filename="a.bin"');
    });

    test("end with the log-out of their session, or do not depend on it", async () => {
      const id = await store();
      const other = await openSession(server(), "token", "admin");
      const [bound, free] = [await link(id, undefined, other), await link(id, { session: false }, other)];
      expect([await statusOf(bound), await statusOf(free)]).toEqual([200, 200]);
      await logOutIn(server(), other);
      expect([await statusOf(bound), await statusOf(free)]).toEqual([404, 200]);
    });

    describe("without a session", () => {
      const { accounts } = { accounts: () => database().storage.repositories.accounts };
      const creator = async () => {
        const user = await newUser(server());
        await accounts().change(user.userId, { administrator: true });
        const own = await logInWith(server(), { mode: "session", user: user.name, password, appNames: ["demo-app"] });
        return { ...user, own, url: await link(await store(), { session: false }, own) };
      };

      test("end with a ban of their creator, and count again after it", async () => {
        const { userId, url } = await creator();
        await addBan(administration(), { user: { id: userId }, reason: "", from: null, until: null });
        expect(await statusOf(url)).toBe(404);
        await removeBan(administration(), { user: { id: userId } });
        expect(await statusOf(url)).toBe(200);
      });

      test("end with the disabling of their creator, and with the right to read", async () => {
        const { userId, url } = await creator();
        await accounts().change(userId, { administrator: false });
        expect(await statusOf(url)).toBe(404);
        await accounts().change(userId, { administrator: true });
        expect(await statusOf(url)).toBe(200);
        await accounts().change(userId, { disabled: true });
        expect(await statusOf(url)).toBe(404);
      });

      test("end with another password of their creator", async () => {
        const { own, url } = await creator();
        const body = { oldPassword: password, newPassword: "the second password" };
        expect((await callIn(server(), own, "/v1/changePassword", { method: "POST", body })).code).toBe("0");
        expect(await statusOf(url)).toBe(404);
      });

      test("of custom users end with their account", async () => {
        const custom = await newCustomUser(server(), { password, user: "admin" });
        const body = { user: custom.loginName, pass: password, appNames: ["demo-app"] };
        const { sessionId } = (await senderOf(server, () => session)("POST", "/v1/auth/df", body)).data;
        const created = await fetch(`${server().url}/v1/file/${await store()}/link`, {
          method: "POST",
          headers: { appkey: "demo-app-key", sessionid: sessionId, "content-type": "application/json" },
          body: JSON.stringify({ session: false }),
        });
        const { url } = ((await created.json()) as { data: { url: string } }).data;
        expect(await statusOf(url)).toBe(200);
        await accounts().change(custom.id, { disabled: true });
        expect(await statusOf(url)).toBe(404);
      });
    });

    test("end when the file gets other bytes or is deleted, and not when it gets another name", async () => {
      const id = await store();
      const url = await link(id);
      const { uploadId } = (await send("GET", "/v1/uploadFile")).data;
      await send("PATCH", `/v1/uploadFile/${uploadId}`, "xyz", { ...octets, "content-range": "bytes 0-2/3" });
      expect(await statusOf(url)).toBe(200);
      expect((await send("PATCH", `/v1/uploadFile/${uploadId}?replaceOID=${id}`)).code).toBe("0");
      expect(await statusOf(url)).toBe(404);
      const other = await link(id);
      await send("DELETE", `/v1/object/${id}`);
      expect(await statusOf(other)).toBe(404);
    });

    test("that are wrong, over or of another database get one answer", async () => {
      const url = await link(await store(), { expiresIn: 1 });
      await until(async () => (await statusOf(url)) !== 200);
      const altered = url.replace(/.(?=.$)/, (letter) => (letter === "A" ? "B" : "A"));
      const unknown = [`/v1/link/${"a".repeat(43)}.${"a".repeat(200)}`, "/v1/link/a", `/v1/link/${"a".repeat(9_000)}`];
      for (const each of [
        url,
        altered,
        `/second${url}`,
        url.replace(/link\/.{43}/, `link/${"b".repeat(43)}`),
        ...unknown,
      ]) {
        const answer = await get(each);
        expect([answer.status, await answer.json()]).toEqual([
          404,
          { status: { internalStatus: "304", statusMessage: "Invalid path" } },
        ]);
      }
    });

    test.each([[{ expiresIn: 0 }], [{ expiresIn: 3_601 }], [{ expiresIn: "60" }], [{ session: 1 }]])(
      "are not created with %j",
      async (body) => {
        expect((await create(await store(), body)).code).toBe("307");
      },
    );

    test("are not created for objects without bytes, nor in secure sessions", async () => {
      for (const id of ["ZZZZZZZ", crypto.randomUUID(), "File"]) expect((await create(id)).code).toBe("304");
      const id = await store();
      const secure = await openSession(server(), "secure", "admin");
      expect((await create(id, {}, secure)).code).toBe("307");
    });

    test("the client gives them as absolute addresses", async () => {
      const client = new SallyportClient({ baseUrl: server().url, appKey: "demo-app-key" });
      await client.logIn({ mode: "session", user: "admin", password: "admin", appNames: ["demo-app"] });
      const { url, expiresAt } = await linkFile(client, await store(), { expiresIn: 60 });
      expect(url.startsWith(`${server().url}/v1/link/`)).toBe(true);
      expect(expiresAt).toMatch(/^\d{8}T\d{6}[+-]\d{2}:\d{2}$/);
      expect(await (await fetch(url)).text()).toBe("abc");
      expect((await tryLogIn(server(), "admin")).code).toBe("0");
      await client.logOut();
      expect((await fetch(url)).status).toBe(404);
    });
  });
});
