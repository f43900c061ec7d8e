import type { ClientSession, LogInMode } from "@sallyport/client";
import request from "supertest";
import { logInForm } from "../log-in-form.ts";
import { modes, sessionEndedCode, testedModes } from "../modes.ts";
import { openSession } from "../open-session.ts";
import { appKey, type Subject } from "../subject.ts";
import type { Case, DemoUser, Known } from "./case.ts";
import { checkAnswer } from "./check-answer.ts";
import { isDeclared } from "./declared.ts";
import { sendCase } from "./send-case.ts";

export { appKey, type Subject } from "../subject.ts";

/** Logs in and returns the session id. */
export async function logIn(
  { url }: Subject,
  user: string,
  more: Record<string, unknown> = {},
  alias = "",
): Promise<string> {
  const body = { user, pass: user, appNames: ["demo-app"], ...more };
  const answer = await request(url).post(`${alias}/v1/login`).set("appkey", appKey).send(body);
  if (answer.status !== 200) throw new Error(`Log-in of ${user} failed: ${answer.text}`);
  return answer.body.data.sessionId;
}

/**
 * Runs a table of cases against one server; each is a Jest test. Cases with a session run in every selected log-in
 * mode, and log-in cases at every log-in endpoint; all others run once.
 */
export function runCases(
  subject: () => Subject,
  cases: readonly Case[],
  tried: readonly LogInMode[] = testedModes,
): void {
  const known = once(() => findKnown(subject()));
  const pathOf = async ({ path }: Case) => (typeof path === "function" ? path(await known()) : path);

  const without = cases.filter(({ as, isLogIn }) => as === undefined && isLogIn === undefined);
  if (without.length > 0) {
    test.each(titled(without))("%s", async (_title, each) => {
      const path = await pathOf(each);
      const answer = await sendCase(each, { url: subject().url, path, appKey });
      checkAnswer(each, each.expect.code, answer, "clear");
      checkDeclared(each, path, answer.status, each.expect.code);
    });
  }
  for (const mode of tried) {
    const logIns = cases.filter(({ isLogIn }) => isLogIn);
    const within = cases.filter((each) => each.as !== undefined && (each.modes ?? modes).includes(mode));
    if (logIns.length + within.length === 0) continue;
    describe(`in mode ${mode}`, () => {
      if (logIns.length > 0) runLogIns(subject, mode, logIns);
      if (within.length > 0) runWithin(subject, mode, within, pathOf);
    });
  }
}

function runWithin(
  subject: () => Subject,
  mode: LogInMode,
  cases: readonly Case[],
  pathOf: (each: Case) => Promise<string>,
): void {
  const sessions = new Map<DemoUser, Promise<ClientSession>>();
  const sessionOf = (user: DemoUser) => {
    const opened = sessions.get(user) ?? openSession(subject(), mode, user);
    sessions.set(user, opened);
    return opened;
  };
  test.each(titled(cases))("%s", async (_title, each) => {
    const path = await pathOf(each);
    const code = each.expect.code === 201 ? Number(sessionEndedCode[mode]) : each.expect.code;
    const session = await sessionOf(each.as as DemoUser);
    const answer = await sendCase(each, { url: subject().url, path, appKey, session });
    checkAnswer(each, code, answer, mode === "secure" && !each.expect.beforeSession ? "session" : "clear");
    checkDeclared(each, path, answer.status, code);
  });
}

function runLogIns(subject: () => Subject, mode: LogInMode, cases: readonly Case[]): void {
  const form = once(() => logInForm(subject(), mode));
  test.each(titled(cases))("%s", async (_title, each) => {
    const { path, wrap, unwrap, credentials } = await form();
    const { code } = each.expect;
    const sent = { ...each, headers: { "content-type": "application/json" }, body: wrap(JSON.stringify(each.body)) };
    const answer = await sendCase(sent, { url: subject().url, path, appKey });
    const isEncrypted = code === 0 && (mode === "encrypted" || mode === "secure");
    const opened = isEncrypted ? { ...answer, text: unwrap(answer.text) } : answer;
    checkAnswer(withoutCredentials(each, credentials), code, opened, isEncrypted ? "log-in" : "clear");
    checkDeclared({ ...each, method: "POST" }, path, answer.status, code);
  });
}

/** The case with a check of its credentials, which are then removed from the data. */
function withoutCredentials(each: Case, credentials: Readonly<Record<string, unknown>>): Case {
  if (each.expect.code !== 0) return each;
  const data = (all: Record<string, unknown>) => {
    expect(all).toMatchObject(credentials);
    each.expect.data?.(Object.fromEntries(Object.entries(all).filter(([name]) => !(name in credentials))));
  };
  return { ...each, expect: { ...each.expect, data } };
}

/** Every answer must be declared by its route. */
export function checkDeclared({ method }: Case, path: string, status: number, code: number): void {
  expect({ path, declared: isDeclared(method ?? "GET", path, status, code) }).toEqual({ path, declared: true });
}

const titled = (cases: readonly Case[]) => cases.map((each) => [each.title, each] as const);

function once<T>(find: () => Promise<T>): () => Promise<T> {
  let found: Promise<T> | undefined;
  return () => (found ??= find());
}

async function findKnown(subject: Subject): Promise<Known> {
  const sessionid = await logIn(subject, "reader");
  const first = async (className: string): Promise<string> => {
    const answer = await request(subject.url)
      .get(`/v1/objects/${className}?perPage=1`)
      .set({ appkey: appKey, sessionid });
    return answer.body.data["~Elements"][0]["~ObjectID"];
  };
  return { customerId: await first("Customer"), invoiceId: await first("Invoice") };
}
