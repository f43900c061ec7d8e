import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type CallOptions, SallyportClient } from "@sallyport/client";
import { refusal, success } from "./fake-server.ts";
import { loggedIn, modes } from "./modes.ts";

const lost = () => {
  throw new TypeError("fetch failed", { cause: Object.assign(new Error("reset"), { code: "ECONNRESET" }) });
};
const unreached = () => {
  throw new TypeError("fetch failed", { cause: Object.assign(new Error("refused"), { code: "ECONNREFUSED" }) });
};
const refusing = (code: number, httpStatus: number, notExecuted: boolean) => () =>
  refusal(code, httpStatus, notExecuted ? { "not-executed": "1" } : {});
const fromProxy = () => new Response("<h1>Bad Gateway</h1>", { status: 502 });

const calls: Record<string, (client: SallyportClient, options: CallOptions) => Promise<unknown>> = {
  read: (client, options) => client.getObject("1A", options),
  "long list": (client, options) =>
    client.listObjects("Customer", { ...options, query: { oids: Array.from({ length: 1_000 }, () => "1AABBCC") } }),
  "keyed write": (client, options) => client.createObject("Customer", {}, { ...options, idempotencyKey: "k" }),
  write: (client, options) => client.createObject("Customer", {}, options),
};

/** The failure of the first attempt, and the calls that are repeated. */
const failures: readonly (readonly [string, () => Response, readonly string[]])[] = [
  ["a lost connection", lost, ["read", "long list", "keyed write"]],
  ["a refused connection", unreached, ["read", "long list", "keyed write", "write"]],
  ["the answer of a proxy", fromProxy, ["read", "long list", "keyed write"]],
  ["an outage before any work", refusing(704, 500, true), ["read", "long list", "keyed write", "write"]],
  ["an outage at work", refusing(704, 500, false), ["read", "long list", "keyed write"]],
  ["overload before any work", refusing(706, 503, true), ["read", "long list", "keyed write", "write"]],
  ["overload at work", refusing(607, 503, false), ["read", "long list", "keyed write"]],
  ["a rate", refusing(800, 429, true), ["read", "long list", "keyed write", "write"]],
  ["a refusal before any work", refusing(307, 400, true), []],
  ["a lock", refusing(713, 500, false), []],
];

describe.each(modes)("repetitions in mode %s", (mode) => {
  const scripted = async (failure: () => Response, failed: number, retries?: number) => {
    const { server, client } = await loggedIn(mode, { retries });
    let attempts = 0;
    const object = { "~ClassName": "Customer", "~ObjectID": "1A", "~StoreTime": "t", "~Elements": [] };
    const answer = () => {
      attempts += 1;
      return attempts <= failed ? failure() : success(object);
    };
    server.routes.set("session /v1/object/1A", answer);
    server.routes.set("session /v1/object/Customer", answer);
    server.routes.set("session /v1/objects/Customer/query", answer);
    return { client, server, attempts: () => attempts };
  };

  test.each(
    failures.flatMap(([name, failure, repeated]) =>
      Object.keys(calls).map((call) => ({ name, failure, repeated, call })),
    ),
  )("a $call after $name", async ({ failure, repeated, call }) => {
    const { client, attempts } = await scripted(failure, 1, 1);
    // Headers do not count in secure mode.
    const isRepeated = repeated.includes(call) && (mode !== "secure" || call !== "write" || failure === unreached);
    const ended = calls[call]?.(client, {});
    if (isRepeated) await expect(ended).resolves.toMatchObject({ "~ObjectID": "1A" });
    else await expect(ended).rejects.toBeInstanceOf(Error);
    expect(attempts()).toBe(isRepeated ? 2 : 1);
  });

  test("send the same key and body", async () => {
    const { client, server } = await scripted(lost, 1, 1);
    await client.createObject("Customer", { Name: "Zoë" }, { idempotencyKey: "one key" });
    const [first, second] = server.arrived.slice(-2);
    expect(second?.headers.get("idempotency-key")).toBe("one key");
    expect(first?.body).toBe(second?.body);
  });

  test("end at the limit of the app", async () => {
    const none = await scripted(lost, 5);
    await expect(none.client.getObject("1A")).rejects.toMatchObject({ reason: "unreachable" });
    expect(none.attempts()).toBe(1);
    const two = await scripted(lost, 5, 2);
    await expect(two.client.getObject("1A")).rejects.toMatchObject({ reason: "unreachable" });
    expect(two.attempts()).toBe(3);
    await expect(two.client.getObject("1A", { retries: 0 })).rejects.toMatchObject({ reason: "unreachable" });
    expect(two.attempts()).toBe(4);
  });

  test.each([-1, Number.NaN])("do not begin with the limit %p", async (retries) => {
    const { client, attempts } = await scripted(lost, 0);
    await expect(client.getObject("1A", { retries })).rejects.toBeInstanceOf(RangeError);
    expect(attempts()).toBe(0);
  });

  test("do not wait for longer than the call may take", async () => {
    const later = () => refusal(706, 503, { "not-executed": "1", "retry-after": "60" });
    const { client, attempts } = await scripted(later, 1, 3);
    await expect(client.getObject("1A")).rejects.toMatchObject({ code: 706, retryAfter: 60, notExecuted: true });
    expect(attempts()).toBe(1);
  });
});

test("a closed port is a refused connection, and a port that closes connections is not", async () => {
  let connections = 0;
  const server = createServer().on("connection", (socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  let attempts = 0;
  const client = new SallyportClient({
    baseUrl: `http://127.0.0.1:${port}`,
    appKey: "key",
    retries: 1,
    fetch: (...request) => {
      attempts += 1;
      return fetch(...request);
    },
  });
  const write = () => client.request({ method: "POST", path: "/v1/resetPassword", body: {}, anonymous: true });
  await expect(write()).rejects.toMatchObject({ reason: "unreachable" });
  expect(attempts).toBe(1);
  // Node's own client repeats nothing.
  expect(connections).toBe(1);
  await new Promise((resolve) => {
    server.close(resolve);
  });
  await expect(write()).rejects.toMatchObject({ reason: "unreachable" });
  expect(attempts).toBe(3);
});
