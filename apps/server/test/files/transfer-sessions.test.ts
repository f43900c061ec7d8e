import { createHash } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, request as startRequest } from "node:http";
import type { LiveSession, NewSession, Repositories } from "@sallyport/storage";
import type { Database } from "@sallyport/core";
import { until } from "@sallyport/test-kit/jest/until";
import type { RunningServer } from "../../src/index.ts";
import { logIn } from "../cases/run-cases.ts";
import { call } from "../client.ts";
import { onEngines } from "../engines.ts";
import { form, formType, octets } from "./file-sender.ts";
import { appKey } from "../subject.ts";
import { filesDirectory } from "./on-file-servers.ts";

const digestOf = (sessionId: string) => createHash("sha256").update(sessionId).digest("hex");

/** More than the buffers between a server and a client that does not read. */
const large = 24 * 1024 * 1024;

/** Sessions of long transfers. The first server transfers, the last one ends sessions and rights. */
onEngines(
  "sessions of uploads and downloads",
  (server, { servers }) => {
    const other = () => servers().at(-1) as RunningServer;
    const r = (): Repositories => (server().databases.get("") as Database).storage.repositories;
    let file: string;
    let demoUser: string;
    let groups: unknown;
    let admin: string;

    beforeAll(async () => {
      admin = await logIn(server(), "admin");
      const sent = await post(admin, "/v1/uploadFile", form(Buffer.alloc(large)));
      file = sent.data["~ObjectID"];
      const { body } = await call(server(), "/v1/login", {
        method: "POST",
        body: { user: "demo", pass: "demo", appNames: ["demo-app"] },
      });
      demoUser = body.data.user["~ObjectID"];
      groups = await groupsOf(demoUser);
    });

    async function groupsOf(user: string): Promise<readonly string[]> {
      const { body } = await call(server(), `/v1/object/${user}`, { sessionId: admin });
      return body.data.Groups["~Elements"].map((group: { "~ObjectID": string }) => group["~ObjectID"]);
    }
    const setGroups = (groups: unknown) =>
      call(other(), `/v1/object/${demoUser}`, { method: "PATCH", sessionId: admin, body: { Groups: groups } });

    /** Sends a form, and returns its answer. */
    async function post(sessionid: string, path: string, body: Buffer) {
      const headers = { appkey: appKey, sessionid, ...formType };
      const answer = await fetch(server().url + path, { method: "POST", headers, body: new Uint8Array(body) });
      const { data, status } = (await answer.json()) as ReturnType<typeof JSON.parse>;
      return { code: status.internalStatus as string, data };
    }

    /** Leaves a session a minute, as if the rest of its half hour were over. Its user sees no difference. */
    async function shorten(sessionId: string): Promise<void> {
      const digest = digestOf(sessionId);
      const [found] = await r().sessions.list({ after: null, limit: 1 }, { digest });
      const { mode, appKeyId, userId, appNames } = found as LiveSession;
      const { account } = await r().accounts.find({ id: userId }, []);
      const session: NewSession = {
        digest,
        mode,
        appKeyId,
        userId,
        appNames,
        deviceId: null,
        secretVersion: account?.secretVersion ?? 0,
        authenticationMethod: { kind: "password" },
      };
      const policy = { idleTimeout: 60_000, absoluteLifetime: 43_200_000, limit: 0, perUserLimit: 0, perDevice: 5 };
      await (server().databases.get("") as Database).storage.transaction(async ({ sessions }) => {
        await sessions.end({ digest });
        await sessions.open(session, policy);
      });
    }

    /** Waits until a session that had a minute left has been renewed: its lifetime in milliseconds. */
    async function renewed(sessionId: string): Promise<number> {
      return until(async () => {
        const [found] = await r().sessions.list({ after: null, limit: 1 }, { digest: digestOf(sessionId) });
        if (found === undefined) throw new Error("The session has ended.");
        const lifetime = found.expiresAt - found.openedAt;
        return lifetime > 1_000_000 && lifetime;
      });
    }

    const logOut = (sessionId: string) => call(other(), "/v1/logout", { method: "POST", sessionId });
    const ban = async () => void (await r().sessions.end({ userId: demoUser }));

    /** Begins an upload. `rest` sends what is missing, and returns the code of the answer. */
    async function begin(sessionId: string, [method, path, body, type]: Form) {
      const sent = startRequest(server().url + path, {
        method,
        headers: { appkey: appKey, sessionid: sessionId, "content-length": body.length, ...type },
      });
      sent.on("error", () => {});
      const answer = once(sent, "response").then(async ([response]) => {
        const texts: string[] = [];
        for await (const text of (response as IncomingMessage).setEncoding("utf8")) texts.push(text as string);
        return JSON.parse(texts.join("")).status.internalStatus as string;
      });
      // A server that refuses the upload early may close the connection.
      answer.catch(() => {});
      const half = body.length / 2;
      const before = await transfers();
      sent.write(body.subarray(0, 100));
      await until(async () => (await transfers()) !== before);
      sent.write(body.subarray(100, half));
      return { answer, rest: () => (sent.end(body.subarray(half)), answer) };
    }

    type Form = readonly [method: string, path: string, body: Buffer, headers: Readonly<Record<string, string>>];
    const bytes = Buffer.alloc(20_000, "x");
    const forms = {
      "one request": async (): Promise<Form> => ["POST", "/v1/uploadFile", form(bytes), formType],
      "a whole upload": async (sessionId): Promise<Form> => ["POST", await uploadOf(sessionId), form(bytes), formType],
      "a chunk": async (sessionId): Promise<Form> => [
        "PATCH",
        await uploadOf(sessionId),
        bytes,
        { ...octets, "content-range": `bytes 0-${bytes.length - 1}/${bytes.length}` },
      ],
    } satisfies Record<string, (sessionId: string) => Promise<Form>>;
    const uploadOf = async (sessionId: string) =>
      `/v1/uploadFile/${(await call(server(), "/v1/uploadFile", { sessionId })).body.data.uploadId}`;
    const kinds = Object.keys(forms) as (keyof typeof forms)[];

    test.each(kinds)("%s renews its session", async (kind) => {
      const sessionId = await logIn(server(), "demo");
      const { rest } = await begin(sessionId, await forms[kind](sessionId));
      await shorten(sessionId);
      await renewed(sessionId);
      expect(await rest()).toBe("0");
    });

    test("a download renews its session", async () => {
      const sessionId = await logIn(server(), "demo");
      const { response } = await download(sessionId);
      await shorten(sessionId);
      expect(await renewed(sessionId)).toBeGreaterThan(1_000_000);
      response.destroy();
    });

    /** A download whose client has not read yet. `ended`: whether it is complete at its end. */
    async function download(sessionId: string, path = `/v1/file/${file}`) {
      const sent = startRequest(server().url + path, { headers: { appkey: appKey, sessionid: sessionId } });
      sent.on("error", () => {}).end();
      const [response] = (await once(sent, "response")) as [IncomingMessage];
      response.on("error", () => {});
      const ended = new Promise<boolean>((resolve) => {
        response.once("close", () => resolve(response.complete));
      });
      return { response, ended };
    }

    async function transfers(): Promise<number> {
      const text = await (await fetch(`${server().url}/metrics`)).text();
      return Number(/^sallyport_transfers (\d+)$/m.exec(text)?.[1]);
    }

    const endings = [
      ["a log-out", logOut, "201"],
      ["a ban", ban, "201"],
      ["a lost right", () => setGroups([]), "304"],
    ] as const;

    const linkOf = async (sessionId: string) => {
      const { body } = await call(server(), `/v1/file/${file}/link`, { method: "POST", sessionId });
      return new URL(body.data.url, server().url).pathname;
    };
    const downloads = [
      ...endings.map(([title, end]) => [title, "downloads", end, () => `/v1/file/${file}`] as const),
      ["a log-out", "downloads by a link", logOut, linkOf],
    ] as const;

    test.each(downloads)("%s ends running %s on every server", async (_title, _what, end, pathOf) => {
      const sessionId = await logIn(server(), "demo");
      const { response, ended } = await download(sessionId, await pathOf(sessionId));
      try {
        await end(sessionId);
        // Read only then, so that the client cannot be at the end of the file before.
        await until(async () => (await transfers()) === 0, { interval: 50 });
        response.resume();
        expect(await ended).toBe(false);
      } finally {
        await setGroups(groups);
      }
    });

    test.each(endings.flatMap(([title, end, code]) => kinds.map((kind) => [title, kind, end, code] as const)))(
      "%s during %s stores nothing",
      async (_title, kind, end, code) => {
        const sessionId = await logIn(server(), "demo");
        const transfer = await forms[kind](sessionId);
        const { rest } = await begin(sessionId, transfer);
        const stored = await r().records.count("file");
        try {
          await end(sessionId);
          expect(await rest()).toBe(code);
          const id = transfer[1].split("/")[3];
          if (id !== undefined)
            expect(await r().records.get("upload", [id])).toMatchObject([{ value: { received: [] } }]);
          expect((await r().records.count("file")).count).toBe(stored.count);
        } finally {
          await setGroups(groups);
        }
      },
    );
  },
  { environment: { FILES_DIRECTORY: filesDirectory }, count: 2 },
);
