import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { JsonValue } from "@sallyport/storage";
import { QuickJsMacroRuntime } from "@sallyport/macros";
import { pino } from "pino";
import type { RunningServer } from "../../src/index.ts";
import { type Answer, call, type Sent, tryLogIn } from "../client.ts";
import { startDemoServer } from "../demo-server.ts";

describe("sample hooks", () => {
  let server: RunningServer;
  let sessionId: string;
  let asAdmin: string;
  const lines: string[] = [];
  const folder = resolve(import.meta.dirname, "../../macros/hooks");

  beforeAll(async () => {
    server = await startDemoServer(
      "memory",
      { MACROS_DIR: folder, DEBUG_MESSAGES: "true" },
      pino({}, { write: (line: string) => void lines.push(JSON.parse(line).text ?? "") }),
    );
    const logIn = async (user: string) => (await tryLogIn(server, user)).body.data.sessionId as string;
    [sessionId, asAdmin] = [await logIn("demo"), await logIn("admin")];
  });

  afterAll(() => server.close());

  const send = (path: string, sent: Sent = {}): Promise<Answer> => call(server, path, { sessionId, ...sent });
  const list = (className: string, query: object, sent: Sent = {}) =>
    send(`/v1/objects/${className}?query=${encodeURIComponent(JSON.stringify(query))}`, sent);
  const create = async (body: object) => send("/v1/object/Invoice", { method: "POST", body });

  test("InvoiceState adds the state of each invoice", async () => {
    const { body } = await list("Invoice", { where: { Number: { $in: ["2025-00001", "2025-00026"] } } });
    expect(body.data["~Elements"]).toMatchObject([
      { Number: "2025-00001", State: "paid" },
      { Number: "2025-00026", State: "overdue" },
    ]);
    const { data } = (await create({ Number: "A", Date: "2999-01-01", Paid: false })).body;
    expect(data).toMatchObject({ Number: "A", State: "open" });
  });

  test("ActiveCustomers hides inactive customers by default", async () => {
    const counts = [
      await list("Customer", {}),
      await list("Customer", { where: { Active: false } }),
      await list("Customer", {}, { sessionId: asAdmin }),
    ];
    const [active, inactive, all] = counts.map(({ body }) => body.data["~Count"] as number);
    expect(active).toBeLessThan(200);
    expect(active).toBe(200 - (inactive as number));
    expect(all).toBe(200);
  });

  test("InvoiceRules refuses invalid invoices, and fills in defaults", async () => {
    expect(await create({ Number: "B", Amount: -1 })).toMatchObject({ status: 400, code: "307" });
    expect(await create({ Number: "B", Date: "2026-02-01", Due: "2026-01-31" })).toMatchObject({
      status: 400,
      code: "307",
    });
    expect((await create({ Number: "B", Date: "2026-01-31", Amount: 1 })).body.data).toMatchObject({
      Due: "2026-03-02",
    });
  });

  test("PaidInvoicesStay refuses to delete paid invoices, and allows others", async () => {
    const [paid, open] = [await create({ Number: "C", Paid: true }), await create({ Number: "D", Paid: false })].map(
      ({ body }) => body.data["~ObjectID"] as string,
    );
    expect(await send(`/v1/object/${paid}`, { method: "DELETE", sessionId: asAdmin })).toMatchObject({
      status: 500,
      code: "718",
    });
    expect(await send(`/v1/object/${paid}`)).toMatchObject({ code: "0" });
    expect(await send(`/v1/object/${open}`, { method: "DELETE", sessionId: asAdmin })).toMatchObject({ code: "0" });
  });

  test("PaymentTrail records who marks an invoice as paid, and nothing else", async () => {
    const { body } = await create({ Number: "E", Paid: false });
    const change = (attributes: object) =>
      send(`/v1/object/${body.data["~ObjectID"]}`, { method: "PATCH", body: attributes });
    for (const attributes of [{ Amount: 3 }, { Paid: true }, { Amount: 4 }, { Paid: false }])
      expect(await change(attributes)).toMatchObject({ code: "0" });
    expect(lines.filter((line) => line.startsWith("E "))).toEqual(["E paid, says demo", "E open again, says demo"]);
  });

  test("DeletionTrail records who deleted which object", async () => {
    const { body } = await create({ Number: "F" });
    expect(await send(`/v1/object/${body.data["~ObjectID"]}`, { method: "DELETE" })).toMatchObject({ code: "0" });
    expect(lines.filter((line) => line.includes("deleted"))).toContain("Invoice F deleted by demo");
  });

  test("AcceptColleagues accepts users with a company address that the provider vouches for", async () => {
    const runtime = new QuickJsMacroRuntime({ threads: 1, queue: 10, threadPriority: 0 });
    const name = "AcceptColleagues";
    const { declaration, module } = await runtime.inspect(
      { name, code: readFileSync(resolve(folder, `${name}.ts`), "utf8") },
      "ts",
    );
    expect(declaration).toEqual({ on: "xRestApi_DBCreateInit_xRestApiUserProvider", run: true });
    const lease = await runtime.lease(60_000, false);
    const limits = { cpu: 1_000, timeout: 10_000, memory: 16 * 1_048_576, hostCalls: 0, resultBytes: 1_000 };
    const host = { answer: async () => undefined, isCatchable: () => false, log: () => {} };
    const outcomeFor = async (email: JsonValue, type = "google") => {
      const argument = {
        userObject: {},
        providerConfig: { type },
        userUuid: "u",
        name: "",
        surname: "",
        email,
        caller: {},
      };
      return (
        await lease.invoke(
          { module: { ...module, checksInput: false }, driver: "createUserProvider", argument, limits },
          host,
        )
      ).result;
    };
    expect([
      await outcomeFor("ada@example.com"),
      await outcomeFor("ada@example.com.example.org"),
      await outcomeFor(""),
      await outcomeFor(null),
    ]).toEqual([0, -1, -1, -1]);
    expect([
      await outcomeFor("ada@example.com", "apple"),
      await outcomeFor("ada@example.com", "microsoft"),
      await outcomeFor("ada@example.com", "facebook"),
    ]).toEqual([0, -1, -1]);
    lease.release();
    await runtime.close();
  });

  test("xRestApi_Authenticate accepts the partners in its list, and no others", async () => {
    const logIn = (user: string, pass: string) =>
      call(server, "/v1/auth/df", { method: "POST", body: { user, pass, appNames: "demo-app" } });
    const pass = createHash("md5").update("over the hills").digest("hex");
    expect((await logIn(" Northern Depot", pass)).body.data.user.Name).toBe("reader");
    for (const [user, word] of [
      ["northern depot", "wrong"],
      ["southern depot", pass],
      ["partner", "partner"],
    ] as const)
      expect(await logIn(user, word)).toMatchObject({ status: 403, code: "302" });
  });
});
