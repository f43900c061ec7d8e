import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, request as startRequest } from "node:http";
import { json } from "node:stream/consumers";
import { NodeDigests } from "@sallyport/crypto";
import { until } from "@sallyport/test-kit/jest/until";
import { AdministrationFixture, openConsole } from "./administration-fixture.ts";
import { type Answer, call } from "../client.ts";
import { form, formType } from "../files/file-sender.ts";
import { filesDirectory } from "../files/on-file-servers.ts";
import { onEngines } from "../engines.ts";
import { SyncFixture } from "../sync/sync-fixture.ts";
import { repositoriesOf } from "../repositories-of.ts";

const digests = new NodeDigests();

type OpenedConsole = Awaited<ReturnType<typeof openConsole>> & { readonly userId: string };

/** What lasts longer than the look at a session of a console ends with the log-in on which it rests. */
onEngines(
  "requests of a console in progress",
  (server) => {
    const sync = new SyncFixture(server);
    let fixture: AdministrationFixture;
    beforeAll(async () => {
      fixture = await AdministrationFixture.open(server());
      await sync.put({ name: "customers", classes: [{ className: "Customer" }] });
    });
    const records = () => repositoriesOf(server()).records;

    const open = async (): Promise<OpenedConsole> => {
      const person = { user: `colleague ${randomUUID()}`, password: "first password" };
      const { userId } = await fixture.admin.users.create({
        name: person.user,
        password: person.password,
        administrator: true,
      });
      return { ...(await openConsole(server(), person)), userId };
    };
    const send = ({ sessionId, appKey }: OpenedConsole, path: string, body: object): Promise<Answer> =>
      call(server(), path, { method: "POST", sessionId, headers: { appkey: appKey }, body });
    const headersOf = ({ sessionId, appKey }: OpenedConsole) => ({ appkey: appKey, sessionid: sessionId, ...formType });
    const upload = async (by: OpenedConsole): Promise<string> => {
      const body = new Uint8Array(form("abc"));
      const answer = await fetch(`${server().url}/v1/uploadFile`, { method: "POST", headers: headersOf(by), body });
      return ((await answer.json()) as Answer["body"]).data["~ObjectID"];
    };

    const link = async (by: OpenedConsole, session: boolean) => {
      const { body } = await send(by, `/v1/file/${await upload(by)}/link`, { session });
      const url = new URL(body.data.url, server().url);
      expect((await fetch(url)).status).toBe(200);
      return async () => ((await (await fetch(url)).json()) as Answer["body"]).status.internalStatus;
    };

    /** Each begins, and returns what gives its code at the end. */
    const requests: Readonly<Record<string, (by: OpenedConsole) => Promise<() => Promise<string>>>> = {
      "an upload": async (by) => {
        const body = form(Buffer.alloc(20_000, "x"));
        const headers = { ...headersOf(by), "content-length": body.length };
        const sent = startRequest(`${server().url}/v1/uploadFile`, { method: "POST", headers }).on("error", () => {});
        const answer = once(sent, "response") as Promise<[IncomingMessage]>;
        sent.write(body.subarray(0, 10_000));
        await until(async () =>
          /^sallyport_transfers [1-9]/m.test(await (await fetch(`${server().url}/metrics`)).text()),
        );
        return async () => {
          sent.end(body.subarray(10_000));
          const [response] = await answer;
          return ((await json(response)) as Answer["body"]).status.internalStatus;
        };
      },
      "a pull that waits": async (by) => {
        let syncVersion = "0";
        for (let cursor: string | undefined; ; ) {
          const { data } = (await send(by, "/v1/sync/customers", { syncVersion, cursor })).body;
          if (!data.hasMore) {
            ({ syncVersion } = data);
            break;
          }
          ({ cursor } = data);
        }
        const answer = send(by, "/v1/sync/customers", { syncVersion, wait: 20 });
        return async () => (await answer).code;
      },
      "a link that ends with the session": (by) => link(by, true),
      "a link that would outlive another session": (by) => link(by, false),
    };
    const ends: readonly (readonly [end: string, code: string, act: (by: OpenedConsole) => Promise<unknown>])[] = [
      [
        "its app key is disabled",
        "101",
        async ({ name }) => {
          const { items } = await fixture.admin.appKeys.list({ limit: 500 });
          const id = items.find((key) => key.name === name)?.appKeyId as string;
          await fixture.admin.appKeys.setEnabled(id, false, { ifMatch: await fixture.admin.appKeys.get(id) });
        },
      ],
      [
        "its app key expires",
        "101",
        async ({ name }) => {
          const keys = await records().list<string>("consoleKey", { after: null, limit: 500 });
          const ids = keys.filter(({ value }) => value === name).map(({ id }) => id);
          expect(await records().remove("consoleKey", { ids })).toHaveLength(1);
        },
      ],
      [
        "the administrator loses the rights",
        "201",
        async ({ userId }) => {
          const ifMatch = await fixture.admin.users.get(userId);
          await fixture.admin.users.change(userId, { administrator: false }, { ifMatch });
        },
      ],
      [
        "the session of the administrator expires",
        "201",
        async ({ admin }) => {
          const digest = digests.sha256(admin.sessionId as string);
          expect(await repositoriesOf(server()).sessions.end({ digest })).toBe(1);
        },
      ],
    ];
    test.each(
      ends.flatMap(([end, code, act]) => Object.keys(requests).map((request) => [request, end, code, act] as const)),
    )("%s ends when %s", async (request, _end, code, act) => {
      const by = await open();
      const finish = await (requests[request] as (typeof requests)[string])(by);
      await act(by);
      expect(await finish()).toBe(request.startsWith("a link") ? "304" : code);
    });
  },
  { environment: { FILES_DIRECTORY: filesDirectory } },
);
