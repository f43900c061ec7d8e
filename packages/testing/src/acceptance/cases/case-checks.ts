import type { LogInMode } from "@sallyport/client";
import { expect } from "../../matchers/expect.ts";
import { checkAnswer } from "../requests/check-answer.ts";
import { headerOf, logInModes, sessionEndedCode } from "../../modes.ts";
import { type CaseAnswer, sendCase } from "../requests/send-case.ts";
import type { Case, DemoUser, Json } from "./case.ts";
import { demoAppKey, type DemoServer } from "./demo-server.ts";

/** A case in one mode. */
export interface CaseCheck {
  readonly title: string;
  /** `null`: the request has no session. */
  readonly mode: LogInMode | null;
  readonly run: (demo: DemoServer) => Promise<void>;
}

/** Cases with a session in every given mode, log-in cases at every log-in endpoint, all others once. */
export function caseChecks(cases: readonly Case[], tried: readonly LogInMode[]): CaseCheck[] {
  const check = (each: Case, mode: LogInMode | null, run: (demo: DemoServer) => Promise<void>): CaseCheck => ({
    title: each.title,
    mode,
    run,
  });
  return [
    ...cases
      .filter(({ as, isLogIn }) => as === undefined && isLogIn === undefined)
      .map((each) => check(each, null, (demo) => runWithout(demo, each))),
    ...tried.flatMap((mode) => [
      ...cases.filter(({ isLogIn }) => isLogIn).map((each) => check(each, mode, (demo) => runLogIn(demo, mode, each))),
      ...cases
        .filter((each) => each.as !== undefined && (each.modes ?? logInModes).includes(mode))
        .map((each) => check(each, mode, (demo) => runWithin(demo, mode, each))),
    ]),
  ];
}

const pathOf = async (demo: DemoServer, { path }: Case) =>
  typeof path === "function" ? path(await demo.known()) : path;

async function runWithout(demo: DemoServer, each: Case): Promise<void> {
  const path = await pathOf(demo, each);
  const answer = await sendCase(each, { url: demo.url, path, appKey: demoAppKey });
  const { sessionId } = each.expect.code === 0 ? (JSON.parse(answer.text || "{}").data ?? {}) : {};
  if (typeof sessionId === "string") await endSession(demo, "session", sessionId);
  checkAnswer(each, each.expect.code, answer, "clear");
  await checkDeclared(demo, each, path, answer, each.expect.code);
}

async function runWithin(demo: DemoServer, mode: LogInMode, each: Case): Promise<void> {
  const path = await pathOf(demo, each);
  const code = each.expect.code === 201 ? Number(sessionEndedCode[mode]) : each.expect.code;
  const session = await demo.sessionOf(each.as as DemoUser, mode);
  const answer = await sendCase(each, { url: demo.url, path, appKey: demoAppKey, session });
  const created = each.undo === undefined ? undefined : (JSON.parse(answer.text).data as Json);
  if (created !== undefined && each.undo !== undefined) {
    const undo: Case = { title: "", method: "DELETE", path: "", expect: { code: 0 } };
    const undone = await sendCase(undo, { url: demo.url, path: each.undo(created), appKey: demoAppKey, session });
    expect(undone.status).toBe(200);
  }
  checkAnswer(each, code, answer, mode === "secure" && !each.expect.beforeSession ? "session" : "clear");
  await checkDeclared(demo, each, path, answer, code);
}

async function runLogIn(demo: DemoServer, mode: LogInMode, each: Case): Promise<void> {
  const { path, wrap, unwrap, credentials } = await demo.formOf(mode);
  const { code } = each.expect;
  const request = { ...each, headers: { "content-type": "application/json" }, body: wrap(JSON.stringify(each.body)) };
  const answer = await sendCase(request, { url: demo.url, path, appKey: demoAppKey });
  const isEncrypted = code === 0 && (mode === "encrypted" || mode === "secure");
  const opened = isEncrypted ? { ...answer, text: unwrap(answer.text) } : answer;
  if (code === 0) {
    const { sessionId, token } = JSON.parse(opened.text).data ?? {};
    await endSession(demo, mode, mode === "session" || mode === "secure" ? sessionId : token);
  }
  checkAnswer(withoutCredentials(each, credentials), code, opened, isEncrypted ? "log-in" : "clear");
  await checkDeclared(demo, { ...each, method: "POST" }, path, answer, code);
}

/** Ends a session that no later case uses. */
async function endSession(demo: DemoServer, mode: LogInMode, credential: string): Promise<void> {
  const headers = { [headerOf[mode]]: credential };
  const logOut: Case = { title: "", method: "POST", path: "", headers, expect: { code: 0 } };
  const { status } = await sendCase(logOut, { url: demo.url, path: "/v1/logout", appKey: demoAppKey });
  expect({ loggedOut: status }).toEqual({ loggedOut: 200 });
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
async function checkDeclared(
  demo: DemoServer,
  { method = "GET" }: Case,
  path: string,
  { status }: CaseAnswer,
  code: number,
): Promise<void> {
  const declared = (await demo.description()).declares(method, path, status, code);
  expect({ path, declared }).toEqual({ path, declared: true });
}
