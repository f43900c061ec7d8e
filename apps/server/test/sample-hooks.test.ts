import { resolve } from "node:path";
import type { RunningServer } from "../src/index.ts";
import { type Answer, call, type Sent, tryLogIn } from "./client.ts";
import { startDemoServer } from "./demo-server.ts";

let server: RunningServer;
let sessionId: string;
let asAdmin: string;

beforeAll(async () => {
  server = await startDemoServer("memory", { MACROS_DIR: resolve(import.meta.dirname, "../macros/hooks"), DEBUG_MESSAGES: "true" });
  const logIn = async (user: string) => (await tryLogIn(server, user)).body.data.sessionId as string;
  [sessionId, asAdmin] = [await logIn("demo"), await logIn("admin")];
});

afterAll(() => server.close());

const send = (path: string, sent: Sent = {}): Promise<Answer> => call(server, path, { sessionId, ...sent });
const list = (className: string, query: object, sent: Sent = {}) => send(`/v1/objects/${className}?query=${encodeURIComponent(JSON.stringify(query))}`, sent);
const create = async (body: object) => send("/v1/object/Invoice", { method: "POST", body });

test("InvoiceState tells of each invoice what it is", async () => {
  const { body } = await list("Invoice", { where: { Number: { $in: ["2025-00001", "2025-00026"] } } });
  expect(body.data["~Elements"]).toMatchObject([{ Number: "2025-00001", State: "paid" }, { Number: "2025-00026", State: "overdue" }]);
  const { data } = (await create({ Number: "A", Date: "2999-01-01", Paid: false })).body;
  expect(data).toMatchObject({ Number: "A", State: "open" });
});

test("ActiveCustomers hides the others from whoever does not ask for them", async () => {
  const counts = [await list("Customer", {}), await list("Customer", { where: { Active: false } }), await list("Customer", {}, { sessionId: asAdmin })];
  const [active, inactive, all] = counts.map(({ body }) => body.data["~Count"] as number);
  expect(active).toBeLessThan(200);
  expect(active).toBe(200 - (inactive as number));
  expect(all).toBe(200);
});

test("InvoiceRules keeps out what no invoice is like, and fills in what is not said", async () => {
  expect(await create({ Number: "B", Amount: -1 })).toMatchObject({ status: 400, code: "307" });
  expect(await create({ Number: "B", Date: "2026-02-01", Due: "2026-01-31" })).toMatchObject({ status: 400, code: "307" });
  expect((await create({ Number: "B", Date: "2026-01-31", Amount: 1 })).body.data).toMatchObject({ Due: "2026-03-02" });
});

test("PaidInvoicesStay keeps them, and lets the others go", async () => {
  const [paid, open] = [await create({ Number: "C", Paid: true }), await create({ Number: "D", Paid: false })].map(({ body }) => body.data["~ObjectID"] as string);
  expect(await send(`/v1/object/${paid}`, { method: "DELETE", sessionId: asAdmin })).toMatchObject({ status: 500, code: "718" });
  expect(await send(`/v1/object/${paid}`)).toMatchObject({ code: "0" });
  expect(await send(`/v1/object/${open}`, { method: "DELETE", sessionId: asAdmin })).toMatchObject({ code: "0" });
});
