import { createHash, randomBytes } from "node:crypto";
import type { ClientSession } from "@sallyport/client";
import type { RunningServer } from "../../src/index.ts";
import { createLogger } from "../../src/monitoring/create-logger.ts";
import { callIn, createObject, tryLogIn } from "../client.ts";
import { startDemoServer } from "../demo-server.ts";
import { openSession } from "../open-session.ts";

const lines: Record<string, unknown>[] = [];
const write = (line: string) => void lines.push(JSON.parse(line));
const { logger } = createLogger({ log: { level: "info", format: "json" }, demo: false }, { write });
let server: RunningServer;
let session: ClientSession;
let secure: ClientSession;

beforeAll(async () => {
  server = await startDemoServer("memory", { MASTER_KEY: randomBytes(32).toString("base64") }, logger);
  [session, secure] = [await openSession(server, "session", "demo"), await openSession(server, "secure", "demo")];
}, 60_000);
afterAll(() => server.close());

/** The log line of the last request. */
const lastLine = () => lines.findLast(({ msg }) => msg === "Request completed") ?? {};

test("a request is logged with its caller and its object", async () => {
  const id = await createObject(server, session, "Customer", { Name: "Ada" });
  const created = lastLine();
  expect(created).toMatchObject({
    route: "/v1/object/{idOrClass}",
    className: "Customer",
    objectId: id,
    session: expect.stringMatching(/^[0-9a-f]{16}$/),
    userId: expect.any(String),
    appKeyId: expect.any(String),
  });
  const caller = { session: created["session"], userId: created["userId"], appKeyId: created["appKeyId"] };
  expect(await callIn(server, session, `/v1/object/${id}`, { method: "PATCH", body: { Name: "B" } })).toMatchObject({
    code: "0",
  });
  expect(lastLine()).toMatchObject({ ...caller, method: "PATCH", className: "Customer", objectId: id });
  expect(await callIn(server, session, "/v1/objects/Customer")).toMatchObject({ code: "0" });
  expect(lastLine()).toMatchObject({ ...caller, className: "Customer" });
  expect(lastLine()).not.toHaveProperty("objectId");
  expect(await callIn(server, session, `/v1/object/${id}`, { method: "DELETE" })).toMatchObject({ code: "0" });
  expect(lastLine()).toMatchObject({ ...caller, method: "DELETE", objectId: id });
  expect(await callIn(server, session, `/v1/object/${id}`)).toMatchObject({ code: "609" });
  expect(lastLine()).toMatchObject({ ...caller, code: 609, objectId: id });
});

test("a session id that is not public, a name and a password are never logged", async () => {
  await tryLogIn(server, "demo", { pass: createHash("md5").update("S3cret").digest("hex") });
  expect(lastLine()).toMatchObject({ route: "/v1/login", appKeyId: expect.any(String) });
  expect(lastLine()).not.toHaveProperty("userId");
  expect(lastLine()).not.toHaveProperty("session");
  const { headers } = await session.seal({ headers: {}, body: undefined });
  const secrets = Object.values(headers).filter((value) => value.length > 20);
  expect(secrets).not.toEqual([]);
  for (const secret of secrets) expect(JSON.stringify(lines)).not.toContain(secret);
});

test("the writes of a multi request are logged", async () => {
  const items = [
    { method: "POST", path: "/v1/object/Customer", data: { Name: "C" } },
    { method: "GET", path: "/v1/objects/Customer" },
    { method: "DELETE", path: "/v1/object/ZZZZ" },
  ];
  const { body } = await callIn(server, session, "/v1/multi", { method: "POST", body: items });
  const objectId = body.data[0].result.data["~ObjectID"];
  expect(lastLine()).toMatchObject({ items: 3, failedItems: 1 });
  expect(lastLine()["writes"]).toEqual([{ method: "POST", className: "Customer", objectId }]);
});

test("what only the messages of a secure session contain is not logged", async () => {
  const id = await createObject(server, secure, "Customer", { Name: "Eve" });
  expect(lastLine()).toMatchObject({ className: "Customer", userId: expect.any(String) });
  expect(lastLine()).not.toHaveProperty("objectId");
  const items = [{ method: "PATCH", path: `/v1/object/${id}`, data: { Name: "E" } }];
  expect(await callIn(server, secure, "/v1/multi", { method: "POST", body: items })).toMatchObject({ code: "0" });
  expect(lastLine()["writes"]).toEqual([{ method: "PATCH" }]);
  expect(JSON.stringify(lines)).not.toContain(`"${id}"`);
});
