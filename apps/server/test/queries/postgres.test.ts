import { loadConfiguration, type RunningServer, startServer } from "../../src/index.ts";
import { createLogger } from "../../src/monitoring/create-logger.ts";
import { buildIndexes } from "../build-indexes.ts";
import { logIn } from "../cases/run-cases.ts";
import { call } from "../client.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import { testEnvironment, tuningOf } from "../test-environment.ts";

const startTimeout = 60_000;

interface Line {
  readonly msg: string;
}

describe("queries on Postgres", () => {
  let postgres: PostgresFixture;
  let server: RunningServer;
  let sessionId: string;
  let hurriedId: string;
  const lines: Line[] = [];

  beforeAll(async () => {
    postgres = await openPostgresFixture();
    await (await postgres.demo()).close();
    const storage = { engine: "postgres", url: postgres.url };
    const databases = [
      { alias: "", storage: { ...storage, schema: "sallyport_demo" } },
      {
        alias: "hurried",
        storage: {
          ...storage,
          url: `${postgres.url}?application_name=hurried`,
          schema: "sallyport_demo_second",
          statementTimeout: "1s",
        },
      },
    ];
    const content = { databases, log: { slowQueryThreshold: "2s" } };
    const configuration = loadConfiguration({
      content,
      environment: { ...testEnvironment, LOG_LEVEL: "warn", DEBUG_MESSAGES: "true" },
    });
    const { logger } = createLogger(configuration, { write: (line) => void lines.push(JSON.parse(line)) });
    server = await startServer(configuration, logger, undefined, undefined, tuningOf({}));
    [sessionId, hurriedId] = [await logIn(server, "reader"), await logIn(server, "reader", {}, "/hurried")];
  }, startTimeout);
  afterAll(async () => {
    await server.close();
    await postgres.close();
  });

  const list = (query: unknown, more = "") =>
    call(
      server,
      `/v1/objects/Invoice?query=${encodeURIComponent(typeof query === "string" ? query : JSON.stringify(query))}${more}`,
      { sessionId },
    );

  const faults: readonly [unknown, string, string][] = [
    ["{", "308", "at /query"],
    ["[]", "329", "at /query"],
    [{ wher: {} }, "307", "at /query/wher: Unknown member of a query."],
    [{ macro: "m" }, "307", "at /query/macro: There is no hook with this name for the class."],
    [{ where: { Nothing: 1 } }, "307", "at /query/where/Nothing: There is no attribute with this name."],
    [
      { where: { $or: [{}, { Amount: { $gt: "5" } }] } },
      "307",
      "at /query/where/$or/1/Amount/$gt: A finite number is expected.",
    ],
    [
      { where: { "Customer.Nothing": 1 } },
      "307",
      "at /query/where/Customer.Nothing: There is no attribute with this name.",
    ],
    [{ where: { "a/b~c": 1 } }, "307", "at /query/where/a~1b~0c: There is no attribute with this name."],
    [
      { where: { ["x".repeat(9_000)]: 1 } },
      "307",
      `at /query/where/${"x".repeat(64)}: There is no attribute with this name.`,
    ],
    [{ sort: ["Date", "-Nothing"] }, "307", "at /query/sort/1: There is no attribute with this name."],
    [{ oids: ["1", "x"] }, "307", "at /query/oids/1: An id or a UUID is expected."],
    ['{"where":{"__proto__":1}}', "307", "at /query/where/__proto__: This member name is not allowed."],
    [
      { where: { $or: [{ City: { $eq: { constructor: 1 } } }] } },
      "307",
      "at /query/where/$or/0/City/$eq/constructor: This member name is not allowed.",
    ],
    [
      `{"where":${'{"$not":'.repeat(100)}{}${"}".repeat(100)}}`,
      "307",
      `at /query/where${"/$not".repeat(31)}: JSON can be nested at most 32 levels deep.`,
    ],
  ];
  test.each(faults.map((fault) => [JSON.stringify(fault[0]).slice(0, 150), ...fault] as const))(
    "refuses %s with its position",
    async (_title, query, code, debugMessage) => {
      expect((await list(query)).body.status).toMatchObject({ internalStatus: code, debugMessage });
    },
  );

  test.each<[string, string, string]>([
    ["?cursor=nothing", "307", "at /cursor: The cursor is invalid."],
    ["?count=exact", "307", "at /count"],
    [`?cursor=${Buffer.from('["q","1"]').toString("base64url")}`, "307", "at /cursor: The cursor is invalid."],
    ["?page=-1", "307", "at /page"],
  ])("refuses %s with its position", async (parameters, code, debugMessage) => {
    expect((await call(server, `/v1/objects/Invoice${parameters}`, { sessionId })).body.status).toMatchObject({
      internalStatus: code,
      debugMessage,
    });
  });

  test("have the same code in a query string and in a body if several members are invalid", async () => {
    const strings = await call(server, "/v1/objects/Invoice?page=-1&query=%5B%5D&serialization=5", { sessionId });
    const body = { page: -1, query: [], serialization: 5 };
    const bodies = await call(server, "/v1/objects/Invoice/query", { method: "POST", sessionId, body });
    expect([strings.code, bodies.body]).toEqual(["329", strings.body]);
  });

  describe("with a cursor", () => {
    const query = { where: { Paid: false }, sort: ["-Customer.Name", "Date"] };

    test("continue to the end of the list", async () => {
      const whole = (await list(query, "&perPage=1000")).body.data;
      const ids = (data: typeof whole): string[] =>
        data["~Elements"].map((element: Record<string, string>) => element["~ObjectID"]);
      const walked: string[] = [];
      for (let cursor = ""; ; ) {
        const { data } = (await list(query, `&perPage=37${cursor}`)).body;
        expect(data["~Count"]).toBe(whole["~Count"]);
        walked.push(...ids(data));
        if (data["~Cursor"] === undefined) break;
        cursor = `&cursor=${data["~Cursor"]}`;
      }
      expect(walked).toEqual(ids(whole));
    });

    test("continue with the same query only, and not at a page", async () => {
      const cursor = (await list(query, "&perPage=5")).body.data["~Cursor"];
      expect((await list(query, `&perPage=9&cursor=${cursor}`)).code).toBe("0");
      for (const other of [
        { where: { Paid: true }, sort: query.sort },
        { where: query.where, sort: ["Date", "-Customer.Name"] },
        {},
      ]) {
        expect((await list(other, `&cursor=${cursor}`)).body.status.debugMessage).toBe(
          "at /cursor: The cursor belongs to another query.",
        );
      }
      expect(
        (
          await call(
            server,
            `/v1/objects/Customer?query=${encodeURIComponent(JSON.stringify(query))}&cursor=${cursor}`,
            { sessionId },
          )
        ).code,
      ).toBe("307");
      expect((await list(query, `&page=1&cursor=${cursor}`)).body.status.debugMessage).toBe(
        "at /page: page cannot be combined with cursor.",
      );
    });

    test("contain nothing readable in the cursor, and refuse an altered one", async () => {
      const cursor = (await list(query, "&perPage=5")).body.data["~Cursor"] as string;
      expect(Buffer.from(cursor, "base64url").toString("latin1")).not.toMatch(/20\d\d-|Lamps|Name/);
      expect((await list(query, "&perPage=5")).body.data["~Cursor"]).not.toBe(cursor);
      for (const at of [0, 5, 40, cursor.length - 2]) {
        const altered = cursor.slice(0, at) + (cursor[at] === "A" ? "B" : "A") + cursor.slice(at + 1);
        expect((await list(query, `&cursor=${altered}`)).code).toBe("307");
      }
      const path = `/hurried/v1/objects/Invoice?query=${encodeURIComponent(JSON.stringify(query))}&cursor=${cursor}`;
      expect((await call(server, path, { sessionId: hurriedId })).code).toBe("307");
    });
  });

  test("of any size and depth are answered with a code of the catalogue, quickly", async () => {
    const conditions = (count: number) =>
      `{"where":{"$or":[${Array.from({ length: count }, () => '{"Paid":true}').join()}]}}`;
    for (const [query, more, codes] of [
      [conditions(5_000), "", ["699"]],
      [conditions(450), "", ["0"]],
      [`{"where":{"$and":[${"{},".repeat(1_500)}{}]}}`, "", ["0"]],
      [`{"where":${'{"$not":'.repeat(100)}{}${"}".repeat(100)}}`, "", ["307"]],
      [`${"[".repeat(5_000)}`, "", ["308"]],
      [{ where: { Number: { $like: "%a".repeat(2_000) } } }, "", ["307"]],
      [{ where: { Number: { $like: `${"_%".repeat(1_000)}x` } } }, "", ["307"]],
      [{ where: { Number: { $like: `${"%".repeat(1_000)}x` } } }, "", ["0"]],
      [{ where: { Number: { $like: `${"_%".repeat(16)}x` } } }, "", ["0"]],
      [{ where: { Number: { $in: Array.from({ length: 1_000 }, (_, index) => `${index}`) } } }, "", ["0"]],
      [{ where: { Number: { $in: Array.from({ length: 1_001 }, () => "") } } }, "", ["307"]],
      [{ where: { Number: "n".repeat(12_000) } }, "", ["0"]],
      [
        { where: { "Customer.Name": { $gt: "n".repeat(5_000) } }, sort: ["-Customer.Name", "Number", "-Amount"] },
        "&page=10000000&perPage=1000",
        ["0"],
      ],
      [{}, "&page=99999999", ["307"]],
      [{}, "&page=-1", ["307"]],
    ] as const) {
      const { code, body } = await list(query, more);
      expect({
        query: JSON.stringify(query).slice(0, 80),
        code: codes.includes(code as never) ? codes[0] : body,
      }).toEqual({ query: JSON.stringify(query).slice(0, 80), code: codes[0] });
    }
  });

  describe("slow queries", () => {
    const timeout = 30_000;
    // In this order the customer of every invoice is read.
    const slow = { where: { Amount: { $gt: 0 } }, sort: ["Customer.City", "Due"] };

    beforeAll(async () => {
      // The following slowness must not affect the building of indexes.
      await buildIndexes(server);
      for (const schema of ["sallyport_demo", "sallyport_demo_second"]) {
        // Each reference takes at least three milliseconds, so that the query takes seconds in place of milliseconds.
        await postgres.sql.query(`
          create or replace function ${schema}.object_number (id text) returns bigint language plpgsql immutable strict as $$
            begin perform pg_sleep(0.003); return 0; end $$`);
      }
    });

    test(
      "are logged in one line with the missing indexes",
      async () => {
        lines.length = 0;
        expect((await list({ where: { Amount: { $gt: 0 } } })).code).toBe("0");
        expect(lines).toEqual([]);
        expect((await list(slow)).code).toBe("0");
        expect(lines).toMatchObject([
          {
            level: "warn",
            className: "Invoice",
            alias: "",
            requestId: expect.any(String),
            durationMs: expect.any(Number),
            missingIndexes: ["Invoice.Amount", "Customer.City", "Invoice.Due"],
            msg: "Slow query",
          },
        ]);
      },
      timeout,
    );

    test(
      "are ended at the statement time-out, and answered 706",
      async () => {
        const path = `/hurried/v1/objects/Invoice?query=${encodeURIComponent(JSON.stringify(slow))}`;
        const { status, code, body } = await call(server, path, { sessionId: hurriedId });
        expect({ status, code }).toEqual({ status: 503, code: "706" });
        expect(JSON.stringify(body)).not.toMatch(/select|statement|sql/i);
        expect((await call(server, "/hurried/v1/objects/Invoice?perPage=1", { sessionId: hurriedId })).code).toBe("0");
      },
      timeout,
    );
  });
});
