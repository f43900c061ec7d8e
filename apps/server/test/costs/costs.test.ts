import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { isDeepStrictEqual } from "node:util";
import { signIn } from "@sallyport/fake-identity-providers";
import type { RunningServer } from "../../src/index.ts";
import { costs, type OperationCost } from "../../src/reference/costs.ts";
import { callIn, createObject, logOut as endSession, type Sent, tryLogIn } from "../client.ts";
import { onEngines } from "../engines.ts";
import { form, formType, senderOf } from "../files/file-sender.ts";
import { macroEnvironment } from "../macro-fixture.ts";
import { openSession } from "../open-session.ts";
import { finishLogIn, link, logInAt, startLogIn } from "../providers/browser.ts";
import { onProviderServers } from "../providers/on-provider-servers.ts";
import { register } from "../providers/provider-fixture.ts";
import { clientPublicKey, demoFields, encryptFor, postSecureLogIn, serverKey } from "../secure/secure-client.ts";
import { SyncFixture } from "../sync/sync-fixture.ts";
import { type Counted, Meter, type Prepare } from "./meter.ts";

const meter = new Meter();
afterAll(() => meter.restore());

type Session = Awaited<ReturnType<typeof openSession>>;
type Operation = keyof typeof costs;

/** The operation that needs a server with an identity provider. */
const ofProvider = "GET /v1/{providerName}/callback";

onEngines(
  "costs",
  (server, demo) => {
    let session: Session;
    let customer: string;
    let key: string;
    let syncVersion: string;
    const created = { method: "POST", body: { Name: "New", Country: "Austria" } } as const;
    const sync = new SyncFixture(server);
    beforeAll(async () => {
      session = await openSession(server(), "session", "demo");
      for (let count = 0; count < 100; count += 1)
        customer = await createObject(server(), session, "Customer", created.body);
      key = await serverKey(server());
      ({ syncVersion } = await sync.pullAll(session, "sales", "0"));
    });

    const succeeded = <Answer extends { readonly code: string }>(answer: Answer) => {
      if (answer.code !== "0") throw new Error(`A request answers ${answer.code}.`);
      return answer;
    };
    const send = async (path: string, sent: Omit<Sent, "sessionId"> = {}) =>
      succeeded(await callIn(server(), session, path, sent)).body.data;
    const always =
      (path: string, sent: Omit<Sent, "sessionId"> = {}): Prepare =>
      async () =>
      async () =>
        void (await send(path, sent));
    const logIn = async () => succeeded(await tryLogIn(server(), "demo")).body.data.sessionId as string;
    let changes = 0;
    const requests: Readonly<Record<Exclude<keyof typeof costs, typeof ofProvider>, Prepare>> = {
      "GET /_CheckSession": always("/_CheckSession"),
      "GET /v1/object/{idOrClass}": async () => async () => void (await send(`/v1/object/${customer}`)),
      "GET /v1/objects/{className}": always("/v1/objects/Customer?perPage=100"),
      "POST /v1/object/{idOrClass}": always("/v1/object/Customer", created),
      "PATCH /v1/object/{idOrClass}": async () => async () => {
        changes += 1;
        await send(`/v1/object/${customer}`, { method: "PATCH", body: { CreditLimit: changes } });
      },
      "DELETE /v1/object/{idOrClass}": async () => {
        const id = await createObject(server(), session, "Customer", created.body);
        return async () => void (await send(`/v1/object/${id}`, { method: "DELETE" }));
      },
      "POST /v1/login": async () => async () => {
        const sessionId = await logIn();
        return () => endSession(server(), sessionId);
      },
      "POST /v2/login": async () => async () => {
        const opened = await openSession(server(), "token", "demo");
        return () => callIn(server(), opened, "/v1/logout", { method: "POST" });
      },
      "POST /v2/login/secure": async () => {
        const credentials = encryptFor(key, JSON.stringify(demoFields)).toString("base64");
        return async () => {
          const answer = await postSecureLogIn(server(), { credentials, publicKey: clientPublicKey });
          if (!answer.ok) throw new Error(`A secure log-in answers ${answer.status}.`);
        };
      },
      "POST /v1/logout": async () => {
        const sessionId = await logIn();
        return async () => void (await endSession(server(), sessionId));
      },
      "POST /v1/sync/{schema}/push": async () => async () => {
        const fields = created.body;
        const ops = [{ id: randomUUID(), op: "put", uuid: randomUUID(), className: "Customer", fields }];
        ({ syncVersion } = await send("/v1/sync/sales/push", { method: "POST", body: { syncVersion, ops } }));
      },
      "POST /v1/sync/{schema}": async () => {
        await createObject(server(), session, "Customer", created.body);
        return async () => {
          ({ syncVersion } = await send("/v1/sync/sales", { method: "POST", body: { syncVersion } }));
        };
      },
      "POST /v1/execute/{macroName}": always("/v1/execute/Echo", { method: "POST", body: {} }),
      "POST /v1/uploadFile": async () => async () => {
        succeeded(
          await senderOf(server, () => session)("POST", "/v1/uploadFile", form(Buffer.alloc(1_048_576, 7)), formType),
        );
      },
      "POST /v1/objects/{className}": always("/v1/objects/Customer", {
        method: "POST",
        body: Array.from({ length: 10 }, () => created.body),
      }),
    };
    testCosts(requests, () => ({ server: server(), session, isEmbedded: demo.postgres() === null }));
  },
  { on: ["embedded", "Postgres"], environment: macroEnvironment },
);

onProviderServers(
  "costs of log-ins with a provider",
  (server, fixture, demo) => {
    let session: Session;
    beforeAll(async () => {
      session = await openSession(server(), "session", "demo");
      await register(fixture(), server(), "google");
      await link(server(), (await logInAt(server(), "google", "anna")).body.data.dfUuid);
    });
    const callback: Prepare = async () => {
      const { location, cookie } = await startLogIn(server(), "google");
      const signedIn = await signIn(location, "anna");
      return async () => {
        const { code } = await finishLogIn(server(), signedIn, cookie);
        if (code !== "0") throw new Error(`A callback answers ${code}.`);
      };
    };
    testCosts({ [ofProvider]: callback }, () => ({
      server: server(),
      session,
      isEmbedded: demo.postgres() === null,
    }));
  },
  { on: ["embedded", "Postgres"] },
);

interface Measured {
  readonly server: RunningServer;
  readonly session: Session;
  readonly isEmbedded: boolean;
}

/** Defines the tests of these operations. */
function testCosts(requests: Readonly<Partial<Record<Operation, Prepare>>>, measured: () => Measured): void {
  /** Kilobytes of the client and of an empty response of Node. */
  let bare: number;
  beforeAll(async () => {
    const empty = createServer((_request, response) => response.end("{}")).listen(0, "127.0.0.1");
    await once(empty, "listening");
    const url = `http://127.0.0.1:${(empty.address() as AddressInfo).port}`;
    const request: Prepare = async () => async () => void (await callIn({ url }, measured().session, "/"));
    bare = (await meter.costOf(request, () => false, false)).kilobytes;
    empty.close();
  });

  test.each(Object.keys(requests) as Operation[])(
    "of %s are as in the reference",
    async (operation) => {
      const { isEmbedded } = measured();
      const expected: OperationCost = costs[operation];
      const isExpected = (cost: Counted) => isDeepStrictEqual(counted(cost), wanted);
      /** What is counted on this engine. A number of bytes near the expected one counts as equal. */
      const counted = ({
        statements,
        rsaOperations,
        roundTrips,
        plans,
        rowsRead,
        walBytes,
        fsyncs,
        kilobytes,
      }: Counted) => {
        const ofDatabase = { plans, rowsRead, walBytes: nearly(walBytes, expected.walBytes, 0.1), fsyncs };
        const memory = expected.kilobytes && { kilobytes: nearly(kilobytes - bare, expected.kilobytes, 0.25) };
        return { statements, rsaOperations, ...(isEmbedded ? ofDatabase : { roundTrips, ...memory }) };
      };
      const wanted = counted({ ...expected, kilobytes: (expected.kilobytes ?? 0) + bare });
      expect(counted(await meter.costOf(requests[operation] as Prepare, isExpected, isEmbedded))).toEqual(wanted);
    },
    60_000,
  );
}

/** The expected number, if the count differs from it by at most this part of it. */
function nearly(count: number, expected: number, part: number): number {
  return Math.abs(count - expected) <= expected * part ? expected : count;
}
