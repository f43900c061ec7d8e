import { Agent } from "node:http";
import { errorEntry, type ErrorCode } from "@sallyport/core";
import request from "supertest";
import type { Case, DemoUser, Known } from "./case.ts";
import { isDeclared } from "./declared.ts";

export const appKey = "demo-app-key";

/** A server under test, wherever it runs. */
export interface Subject {
  /** Address without a trailing slash. */
  readonly url: string;
}

/** Logs in and returns the session id. */
export async function logIn({ url }: Subject, user: string, more: Record<string, unknown> = {}, alias = ""): Promise<string> {
  const body = { user, pass: user, appNames: ["demo-app"], ...more };
  const answer = await request(url).post(`${alias}/v1/login`).set("appkey", appKey).send(body);
  if (answer.status !== 200) throw new Error(`Log-in of ${user} failed: ${answer.text}`);
  return answer.body.data.sessionId;
}

/** Runs a table of cases against one server; each is a Jest test. */
export function runCases(subject: () => Subject, cases: readonly Case[]): void {
  const sessions = new Map<DemoUser, Promise<string>>();
  let known: Promise<Known> | undefined;
  const session = (user: DemoUser) => {
    const opened = sessions.get(user) ?? logIn(subject(), user);
    sessions.set(user, opened);
    return opened;
  };
  test.each(cases.map((each) => [each.title, each] as const))("%s", async (_title, each) => {
    const sessionId = each.as === undefined ? null : await session(each.as);
    known ??= typeof each.path === "function" ? findKnown(subject(), session("reader")) : undefined;
    const path = typeof each.path === "function" ? each.path(await (known as Promise<Known>)) : each.path;
    const answer = await send(subject(), each, path, sessionId);
    check(each, answer);
    // A route that answers what it does not declare surprises its clients.
    expect({ path, declared: isDeclared(each.method ?? "GET", path, answer.status, each.expect.code) }).toEqual({ path, declared: true });
  });
}

function send({ url }: Subject, { method, headers, body, expect: expected }: Case, path: string, sessionId: string | null) {
  const verb = (method ?? "GET").toLowerCase() as "get";
  const sent = request(url)[verb](path).ok(() => true);
  const defaults = { appkey: appKey, ...(sessionId === null ? {} : { sessionid: sessionId }) };
  for (const [name, value] of Object.entries({ ...defaults, ...headers })) if (value !== null) sent.set(name, value);
  if (expected.code === 302) sent.agent(fromSomewhereElse(url));
  if (body === undefined) return sent;
  sent.send(body as object);
  // Supertest gives a text a content type that the case did not ask for.
  return typeof body === "string" && !headers?.["content-type"] ? sent.unset("content-type") : sent;
}

/** Failed log-ins count against the address they come from; on loopback every case can have its own. */
function fromSomewhereElse(url: string): Agent {
  const part = () => 1 + Math.floor(Math.random() * 254);
  const loopback = new URL(url).hostname === "127.0.0.1" && process.platform === "linux";
  return new Agent(loopback ? { localAddress: `127.${part()}.${part()}.${part()}` } : {});
}

function check({ method, expect: { code, data, headers, lacks } }: Case, answer: request.Response): void {
  const entry = code === 0 ? { status: 200, name: "ok" } : errorEntry(code as ErrorCode);
  expect({ status: answer.status, text: answer.status === entry.status ? "" : answer.text }).toEqual({ status: entry.status, text: "" });
  expect(answer.headers["x-request-id"]).toMatch(/^[A-Za-z0-9._-]{1,64}$/);
  expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
  for (const [name, value] of Object.entries(headers ?? {})) {
    expect(answer.headers[name]).toEqual(typeof value === "string" ? value : expect.stringMatching(value));
  }
  if (method === "HEAD") return;
  expect(answer.body.status).toMatchObject({ internalStatus: String(code), statusMessage: entry.name });
  if (code === 0) expect(answer.body.data).toEqual(expect.any(Object));
  else expect(Object.keys(answer.body)).toEqual(["status"]);
  for (const text of lacks ?? []) expect(answer.text).not.toContain(text);
  data?.(answer.body.data);
}

async function findKnown({ url }: Subject, session: Promise<string>): Promise<Known> {
  const first = async (className: string): Promise<string> => {
    const answer = await request(url)
      .get(`/v1/objects/${className}?perPage=1`)
      .set({ appkey: appKey, sessionid: await session });
    return answer.body.data["~Elements"][0]["~ObjectID"];
  };
  return { customerId: await first("Customer"), invoiceId: await first("Invoice") };
}
