import { randomUUID } from "node:crypto";
import { signIn } from "@sallyport/fake-identity-providers";
import { isFullRun } from "@sallyport/test-kit/scope";
import { jest } from "@jest/globals";
import pg from "pg";
import { type Answer, call, callIn, createObject, logOutIn, type Sent, tryLogIn } from "../client.ts";
import { testedEngines } from "../engines.ts";
import { openSession } from "../open-session.ts";
import { finishLogIn, link, logInAt, startLogIn } from "../providers/browser.ts";
import { onProviderServers, useProviders } from "../providers/on-provider-servers.ts";

/** Requests of each kind. Postgres plans a statement for each of its first five calls, and then where it expects a gain. */
const times = isFullRun ? 1_000 : 20;
/** Plans of a statement on one connection for all of them. */
const mostPlans = 10;
/** Milliseconds for these requests. */
const patience = isFullRun ? 600_000 : 120_000;

interface Planned {
  readonly name: string;
  readonly custom: number;
  readonly generic: number;
}

const connected = jest.spyOn(pg.Client.prototype, "connect");
afterAll(() => connected.mockRestore());

/** The calls and plans of all prepared statements so far, by connection and name. */
async function planned(): Promise<ReadonlyMap<string, Planned>> {
  const all = new Map<string, Planned>();
  const text = "select name, custom_plans::int as custom, generic_plans::int as generic from pg_prepared_statements";
  for (const [index, client] of (connected.mock.contexts as pg.Client[]).entries()) {
    const { rows } = await client.query<Planned>(text).catch(() => ({ rows: [] }));
    for (const row of rows) all.set(`${index} ${row.name}`, row);
  }
  return all;
}

onProviderServers(
  "plans of statements",
  (server, fixture) => {
    useProviders(server, fixture);
    type Session = Awaited<ReturnType<typeof openSession>>;
    let plain: Session;
    let token: Session;
    let secure: Session;
    let customer: string;
    beforeAll(async () => {
      plain = await openSession(server(), "session", "demo");
      token = await openSession(server(), "token", "demo");
      secure = await openSession(server(), "secure", "demo");
      customer = await createObject(server(), plain, "Customer", { Name: "Old" });
    });

    const send = async (path: string, sent: Omit<Sent, "sessionId"> = {}, session = plain) =>
      (await callIn(server(), session, path, sent)).code;
    const codeOf = async (answer: Promise<Answer>) => (await answer).code;
    const unknown = (index: number) => "0".repeat(60) + String(index);
    const logInIn = async (mode: Parameters<typeof openSession>[1]) =>
      logOutIn(server(), await openSession(server(), mode, "demo"));
    const created = { method: "POST", body: { Name: "New" } } as const;
    const operation = () => ({
      id: randomUUID(),
      op: "put",
      uuid: randomUUID(),
      className: "Customer",
      fields: { Name: "New" },
    });

    test.each<[string, string, (index: number) => Promise<string>]>([
      ["requests without credentials", "0", () => codeOf(call(server(), "/_CheckService"))],
      ["requests without a session", "200", () => codeOf(call(server(), "/_CheckSession"))],
      [
        "requests with a wrong app key",
        "101",
        (index) => codeOf(call(server(), "/_CheckSession", { headers: { appkey: unknown(index) } })),
      ],
      [
        "requests with a wrong session",
        "201",
        (index) => codeOf(call(server(), "/_CheckSession", { sessionId: unknown(index) })),
      ],
      ["session checks", "0", () => send("/_CheckSession")],
      ["session checks with a token", "0", () => send("/_CheckSession", {}, token)],
      ["reads", "0", () => send(`/v1/object/${customer}`)],
      ["reads of unknown objects", "304", () => send("/v1/object/ZZZZ")],
      ["secure reads", "0", () => send(`/v1/object/${customer}`, {}, secure)],
      ["lists", "0", () => send("/v1/objects/Customer?perPage=5")],
      ["creations", "0", () => send("/v1/object/Customer", created)],
      ["changes", "0", (index) => send(`/v1/object/${customer}`, { method: "PATCH", body: { CreditLimit: index } })],
      [
        "deletions",
        "0",
        async () =>
          send(`/v1/object/${await createObject(server(), plain, "Customer", created.body)}`, { method: "DELETE" }),
      ],
      ["pulls", "0", () => send("/v1/sync/sales", { method: "POST", body: { syncVersion: "0", limit: 5 } })],
      [
        "pushes",
        "0",
        () => send("/v1/sync/sales/push", { method: "POST", body: { syncVersion: "0", ops: [operation()] } }),
      ],
      ["log-ins and log-outs", "0", () => logInIn("session")],
      ["log-ins with a token", "0", () => logInIn("token")],
      ["secure log-ins", "0", () => logInIn("secure")],
      ["encrypted log-ins", "0", () => logInIn("encrypted")],
      [
        "log-ins on a device",
        "0",
        (index) => codeOf(tryLogIn(server(), "demo", { device: { deviceId: `d${index}` } })),
      ],
      ["log-ins with a wrong password", "302", () => codeOf(tryLogIn(server(), "demo", { pass: "wrong" }))],
      ["log-ins of unknown users", "302", (index) => codeOf(tryLogIn(server(), `nobody ${index}`))],
    ])(
      "are kept for %s",
      async (_kind, expected, request) => {
        expect(await plansFor(expected, request)).toEqual([]);
      },
      patience,
    );

    test(
      "are kept for log-ins with a provider",
      async () => {
        await link(server(), (await logInAt(server(), "google", "anna")).body.data.dfUuid);
        const logIn = async () => {
          const { location, cookie } = await startLogIn(server(), "google");
          return codeOf(finishLogIn(server(), await signIn(location, "anna"), cookie));
        };
        expect(await plansFor("0", logIn)).toEqual([]);
      },
      patience,
    );

    /** The statements that these requests had planned too often. */
    async function plansFor(expected: string, request: (index: number) => Promise<string>): Promise<Planned[]> {
      const before = await planned();
      const codes = new Set<string>();
      for (let index = 0; index < times; index += 1) codes.add(await request(index));
      expect([...codes]).toEqual([expected]);
      const since = [...(await planned())].map(([key, { name, custom, generic }]) => {
        const earlier = before.get(key) ?? { custom: 0, generic: 0 };
        return { name, custom: custom - earlier.custom, generic: generic - earlier.generic };
      });
      // The requests used prepared statements.
      expect(since.reduce((sum, { custom, generic }) => sum + custom + generic, 0)).toBeGreaterThanOrEqual(times);
      return since.filter(({ custom }) => custom > mostPlans);
    }
  },
  { on: testedEngines.filter((engine) => engine === "Postgres" || engine === "embedded") },
);
