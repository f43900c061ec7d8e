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

/** The open connections of this file. */
const connections = () =>
  (connected.mock.contexts as Connected[]).filter(
    ({ _connected, connection }) => _connected && !connection.stream.destroyed,
  );

type Connected = pg.Client & { readonly _connected: boolean; readonly connection: pg.Connection };

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

/** Rows that statements read without an index so far, by table. */
async function rowsScanned(sql: pg.Client): Promise<ReadonlyMap<string, number>> {
  for (const each of connections()) await each.query("select pg_stat_force_next_flush()");
  const text =
    "select relname as table, seq_tup_read::int as rows from pg_stat_user_tables where schemaname = 'sallyport_demo'";
  const { rows } = await sql.query<{ table: string; rows: number }>(text);
  return new Map(rows.map((row) => [row.table, row.rows]));
}

const warmUps = 7;
const grownRows = 20_000;
const grownTables = [
  "accounts",
  "app_keys",
  "audit",
  "cipher_blocks",
  "custom_accounts",
  "objects",
  "records",
  "sessions",
  "throttle",
];
const growth = `
  insert into sallyport_demo.objects (uuid, class, attributes, stored_at)
    select gen_random_uuid(), 'Customer', '{"Name": "grown"}', now() from generate_series(1, ${grownRows});
  insert into sallyport_demo.accounts (user_id, login_name, confusable_key, secret, administrator)
    select 1000000 + i, 'grown ' || i, 'grown' || i, 'secret', false from generate_series(1, ${grownRows}) as i;
  insert into sallyport_demo.app_keys (id, name, digest, origins)
    select 'grown' || i, 'grown ' || i, sha256(('k' || i)::bytea), '[]' from generate_series(1, ${grownRows}) as i;
  insert into sallyport_demo.sessions (digest, mode, app_key_id, user_id, secret_version, app_names, opened_at, expires_at, ends_at)
    select sha256(('s' || i)::bytea), 'session', 'grown1', 1000000 + i, 1, '["grown"]', now(), now() + interval '30 min', now() + interval '12 h'
    from generate_series(1, ${grownRows}) as i;
  insert into sallyport_demo.records (kind, id, owner, value, version, born, created_at, expires_at)
    select kind, 'grown ' || i, 'user:' || i, '{}', i, i, now(), 'infinity'
    from generate_series(1, ${grownRows}) as i, unnest(array['identityLink', 'ban']) as kind;
  insert into sallyport_demo.custom_accounts (id, login_name, confusable_key, user_id, secret)
    select gen_random_uuid(), 'grown ' || i, 'grown' || i, i, 'secret' from generate_series(1, ${grownRows}) as i;
  insert into sallyport_demo.cipher_blocks
    select sha256(('b' || i)::bytea), sha256('client'), 'key', 1, now() from generate_series(1, ${grownRows}) as i;
  insert into sallyport_demo.audit (at, type, request_id, outcome, app_key_id, address, app_names)
    select now(), 'logout.completed', 'r' || i, 0, 'key1', '192.0.2.1', '[]' from generate_series(1, ${grownRows}) as i;
  insert into sallyport_demo.throttle
    select 'grown' || i, 1, now(), now() + interval '1 h' from generate_series(1, ${grownRows}) as i`;

onProviderServers(
  "plans of statements",
  (server, fixture, demo) => {
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

    const requests: readonly [kind: string, code: string, request: (index: number) => Promise<string>][] = [
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
    ];
    const logInWithProvider = async () => {
      const { location, cookie } = await startLogIn(server(), "google");
      return codeOf(finishLogIn(server(), await signIn(location, "anna"), cookie));
    };

    test.each(requests)(
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
        expect(await plansFor("0", logInWithProvider)).toEqual([]);
      },
      patience,
    );

    test(
      "are made anew after the growth of tables",
      async () => {
        await link(server(), (await logInAt(server(), "google", "anna")).body.data.dfUuid);
        const sql = demo.postgres()?.sql ?? (connections().at(-1) as pg.Client);
        // Until then, the statistics stay those of small tables.
        for (const table of grownTables)
          await sql.query(`alter table sallyport_demo.${table} set (autovacuum_enabled = false)`);
        await sql.query("analyze");
        const all = [...requests, ["log-ins with a provider", "0", logInWithProvider] as const];
        for (const [, , request] of all) for (let index = 0; index < warmUps; index += 1) await request(index);
        await sql.query(growth);
        // As a process of the server does within a minute of such a growth.
        await sql.query(`analyze ${grownTables.map((table) => `sallyport_demo.${table}`).join(", ")}`);
        const readWhole: string[] = [];
        for (const [kind, , request] of all) {
          const before = await rowsScanned(sql);
          await request(warmUps);
          for (const [table, rows] of await rowsScanned(sql))
            if (rows - (before.get(table) ?? 0) >= grownRows) readWhole.push(`${table} for ${kind}`);
        }
        expect(readWhole).toEqual([]);
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
