import { randomUUID } from "node:crypto";
import { type Agent, startTestService, type TestService } from "@sallyport/testing";
import { macroQueue } from "../../src/macros/macro-folders.ts";

/** Milliseconds. */
const timeout = 120_000;

type Response = Awaited<ReturnType<Agent["get"]>>;

const statusOf = ({ status, body }: Response) => `${status}/${body.status.internalStatus}`;

describe("attacks on calls", () => {
  /** Arbitrary arguments of a macro's calls. */

  // The arguments come as text, because the server refuses some of them as JSON.
  const Ask = `import { defineMacro } from "@sallyport/macros";
    export default defineMacro({ access: "everyone", async run({ input: { method, texts }, objects, call }) {
      const codes = [];
      for (const given of texts.map((each) => JSON.parse(each))) {
        try {
          await (method === "call" ? call : objects[method])(...given);
          codes.push(0);
        } catch (error) { codes.push(error.code ?? String(error)); }
      }
      return codes;
    } });`;

  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({
      configuration: {
        debugMessages: true,
        macros: { timeout: "1m", cpuTime: "1m", hostCalls: 10_000 },
      },
    });
    await service.seed({ macros: { Ask } });
  });
  afterAll(() => service.close());

  const deep = `${'{"a":'.repeat(50)}1${"}".repeat(50)}`;
  const odd: readonly string[] = [
    "null",
    "true",
    "0",
    "-1",
    "1.5",
    "1e300",
    "[]",
    "[[]]",
    "{}",
    "[null]",
    '{"~ObjectID":{}}',
    '{"~ObjectID":"7K","~ClassName":"User"}',
    deep,
    '{"__proto__":{"administrator":true}}',
    '{"$where":"1"}',
    '{"where":{"$or":[]}}',
    '{"Name":{"__proto__":1}}',
    '{"Name":{"$regex":"(a+)+$"}}',
    '{"type":"custom","fields":["__proto__"]}',
    ...[
      "",
      " ",
      "Customer",
      "customer",
      "__proto__",
      "constructor",
      "toString",
      "hasOwnProperty",
      "../x",
      "a/b",
      "a?b=c",
      "a%00b",
      "\u0000",
      "x".repeat(5_000),
    ].map((text) => JSON.stringify(text)),
    '"\\ud800"',
    JSON.stringify(Array.from({ length: 1_000 }, () => "7K")),
  ];
  const options = [
    "serialization",
    "forUpdate",
    "where",
    "sort",
    "oids",
    "macro",
    "page",
    "perPage",
    "cursor",
    "count",
    "version",
    "moveToRecycler",
    "className",
    "id",
    "attributes",
    "input",
    "__proto__",
  ];
  const texts: readonly string[] = [
    "[]",
    ...odd.map((each) => `[${each}]`),
    ...odd.flatMap((each) => ['"Customer"', '"7K"', '"Echo"'].map((first) => `[${first},${each}]`)),
    ...options.flatMap((name) => odd.map((each) => `["Customer",{${JSON.stringify(name)}:${each}}]`)),
    ...odd.map((each) => `["Customer",{"Name":"Ada"},{"version":${each}}]`),
  ];
  const chunks = Array.from({ length: Math.ceil(texts.length / 100) }, (_, index) =>
    texts.slice(index * 100, (index + 1) * 100),
  );

  test.each(["get", "find", "create", "update", "readers", "setReaders", "delete", "lock", "unlock", "call"])(
    "%s refuses invalid arguments with a client code, and never fails",
    async (method) => {
      const unexpected: unknown[] = [];
      for (const agent of [service.as("reader"), service.as("demo")]) {
        for (const chunk of chunks) {
          const { status, body } = await agent.post("/v1/execute/Ask").send({ method, texts: chunk });
          if (status !== 200) unexpected.push([status, body.status, chunk[0]?.slice(0, 100)]);
          const codes: unknown[] = status === 200 ? body.data : [];
          for (const [index, told] of codes.entries()) {
            const isFine =
              typeof told === "number" &&
              (told === 0 || (told >= 300 && told < 700) || [710, 713, 718, 801].includes(told));
            if (!isFine) unexpected.push([told, chunk[index]?.slice(0, 200)]);
          }
        }
      }
      expect(unexpected).toEqual([]);
    },
    timeout,
  );
});

describe("attacks", () => {
  /** Attempts of an attacker who may write macros, or only execute them. */

  let service: TestService;
  let demo: Agent;
  beforeAll(async () => {
    service = await startTestService({
      databases: { "": "demo", second: "demo" },
      configuration: { debugMessages: true, macros: { timeout: "30s" } },
    });
    demo = service.as("demo");
  });
  afterEach(() => service.reset());
  afterAll(() => service.close());

  const everyone = 'access: "everyone",';
  const moduleOf = (body: string, members = everyone) =>
    `import { defineMacro, refuse } from "@sallyport/macros";\nexport default defineMacro({ ${members} async run({ input, caller, objects, call, log, now, random, setStatusMessage }) {\n${body}\n} });`;
  const put = (name: string, body: string, members = everyone) =>
    service.seed({ macros: { [name]: moduleOf(body, members) } });
  const execute = (name: string, input?: unknown, as = demo) =>
    as.post(`/v1/execute/${name}`).type("json").send(JSON.stringify(input));
  const customers = async (name: string): Promise<number> => {
    const query = JSON.stringify({ where: { Name: name } });
    return (await demo.get("/v1/objects/Customer").query({ query })).body.data["~Count"];
  };

  test(
    "a status message is truncated",
    async () => {
      await put("Talkative", "setStatusMessage('x'.repeat(input)); return 1;");
      const { status, body } = await execute("Talkative", 5_000_000);
      expect([status, body.status.statusMessage]).toEqual([200, "x".repeat(500)]);
    },
    timeout,
  );

  test("text in a status message or a refusal cannot break out into the envelope or a header", async () => {
    await put(
      "Forger",
      `setStatusMessage('ok"},"data":{"forged":1}}\\r\\nSet-Cookie: a=b'); if (input) refuse(307, '"}\\r\\nSet-Cookie: a=b'); return { status: { internalStatus: "201" } };`,
    );
    const accepted = await execute("Forger");
    expect([statusOf(accepted), accepted.body.data, Object.keys(accepted.body)]).toEqual([
      "200/0",
      { status: { internalStatus: "201" } },
      ["status", "data"],
    ]);
    const refused = await execute("Forger", 1);
    expect([statusOf(refused), Object.keys(refused.body)]).toEqual(["400/307", ["status"]]);
    expect([accepted.headers["set-cookie"], refused.headers["set-cookie"]]).toEqual([undefined, undefined]);
  });

  test(
    "endlessly recursive modules are answered 710 in time, and others are served",
    async () => {
      await put(
        "Bomb",
        "for (let round = 0; round < 1_000; round += 1) try { await call('Bomb'); } catch {} return 1;",
        `${everyone} timeout: 2_000,`,
      );
      await put("Small", "return input;");
      const bombs = [execute("Bomb"), execute("Bomb")];
      expect((await Promise.all(bombs)).map(statusOf)).toEqual(["500/710", "500/710"]);
      expect((await execute("Small", 7)).body.data).toBe(7);
    },
    timeout,
  );

  test(
    "more macros than may wait for a thread are all read",
    async () => {
      const names = Array.from({ length: macroQueue.limit + 10 }, (_, index) => `Many${index}`);
      const definitions = names.map((name) => [name, moduleOf(`return "${name}";`)]);
      await service.seed({ macros: Object.fromEntries(definitions) });
      const answers = await Promise.all([names[0], names.at(-1)].map((name) => execute(name as string)));
      expect(answers.map(({ body }) => body.data)).toEqual([names[0], names.at(-1)]);
    },
    timeout,
  );

  test(
    "an argument above the size limit does not reach the server",
    async () => {
      await put("Heavy", "await objects.create('Customer', { Name: 'x'.repeat(2_200_000) });");
      const answer = await execute("Heavy");
      expect([statusOf(answer), answer.body.status.debugMessage]).toEqual([
        "500/710",
        expect.stringContaining("objects.create: the argument is larger than 2097152 bytes"),
      ]);
    },
    timeout,
  );

  test(
    "concurrent executions do not see each other, nor each other's caller",
    async () => {
      await put(
        "Who",
        "globalThis.left ??= []; left.push(caller.userId); const { name } = caller; await now(); return [name, caller.userId, left.length, random()];",
      );
      const reader = service.as("reader");
      const answers = await Promise.all(
        Array.from({ length: 16 }, (_, index) => execute("Who", undefined, index % 2 === 0 ? demo : reader)),
      );
      const results: [string, string, number, number][] = answers.map(({ body }) => body.data);
      expect(results.map(([name, , count]) => [name, count])).toEqual(
        answers.map((_, index) => [index % 2 === 0 ? "demo" : "reader", 1]),
      );
      expect(new Set(results.map(([, id]) => id)).size).toBe(2);
      expect(new Set(results.map(([, , , number]) => number)).size).toBe(16);
    },
    timeout,
  );

  test("a macro of one database does not exist in another", async () => {
    await put("OfOne", "return 1;");
    expect(statusOf(await execute("OfOne"))).toBe("200/0");
    expect(statusOf(await execute("OfOne", undefined, service.as("demo", { alias: "second" })))).toBe("500/710");
  });

  describe("failures leave nothing behind", () => {
    beforeEach(async () => {
      await put("Make", "await objects.create('Customer', { Name: input }); return 1;");
      await put("MakeAndFail", "await objects.create('Customer', { Name: input }); throw new Error('no');");
      await put(
        "CatchFailure",
        "try { await call('MakeAndFail', input); } catch {} await objects.create('Customer', { Name: `${input} kept` }); return 1;",
      );
      await put(
        "InPieces",
        "await objects.create('Customer', { Name: input }); throw new Error('no');",
        `${everyone} transaction: false,`,
      );
      await put("CatchPieces", "try { await call('InPieces', input); } catch {} return 1;");
      await put("Hasty", "objects.create('Customer', { Name: input }); return 1;");
      await put("CatchHasty", "await call('Hasty', input).catch(() => {}); return 1;");
      await put(
        "CatchDeep",
        "try { await call('CatchFailure', input); await call('MakeAndFail', input); } catch {} return 1;",
      );
    });

    const item = (name: string, data: unknown) => ({ method: "POST", path: `/v1/execute/${name}`, data });
    const concurrently = (...items: object[]) => demo.post("/v1/multi?atomic=true").send(items);

    test.each([
      ["CatchFailure", "200/0", 0, 1],
      ["CatchPieces", "200/0", 0, 0],
      ["Hasty", "500/710", 0, 0],
      ["CatchHasty", "200/0", 0, 0],
      ["CatchDeep", "200/0", 0, 1],
      ["InPieces", "500/710", 1, 0],
    ])("from %s by itself", async (macro, answer, failed, kept) => {
      const name = randomUUID();
      expect([statusOf(await execute(macro, name)), await customers(name), await customers(`${name} kept`)]).toEqual([
        answer,
        failed,
        kept,
      ]);
    });

    test.each([
      ["CatchFailure", "200/0", 0, 1],
      ["CatchPieces", "200/0", 0, 0],
      ["CatchHasty", "200/0", 0, 0],
      ["CatchDeep", "200/0", 0, 1],
      ["InPieces", "500/710", 0, 0],
      ["MakeAndFail", "500/710", 0, 0],
    ])("from %s in an atomic multi request", async (macro, answer, failed, kept) => {
      const name = randomUUID();
      const before = `${name} before`;
      expect([
        statusOf(await concurrently(item("Make", before), item(macro, name))),
        await customers(name),
        await customers(`${name} kept`),
      ]).toEqual([answer, failed, kept]);
      expect(await customers(before)).toBe(answer === "200/0" ? 1 : 0);
    });
  });
});
