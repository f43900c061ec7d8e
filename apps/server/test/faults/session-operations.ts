import { randomUUID } from "node:crypto";
import { either, type WriteOperation } from "./write-operation.ts";
import type { Stage } from "./stage.ts";

const credentials = { user: "reader", pass: "reader", appNames: ["demo-app"] };

/** Counts live sessions and what the audit has of a request, and says what has become of them since. */
async function watch({ storage: { repositories: r } }: Stage, requestId: string, expected: { readonly sessions: number; readonly event: string }) {
  const last = async () => Math.max(0, ...(await r.audit.read(0, 100_000)).map(({ sequence }) => sequence));
  const [before, after] = [await r.sessions.count(), await last()];
  return async () => {
    const events = (await r.audit.read(after, 1_000)).filter((event) => event.requestId === requestId && event.type === expected.event);
    return either([(await r.sessions.count()) - before, events.length], [0, 0], [expected.sessions, 1]);
  };
}

const withFactor = { ...credentials, appNames: ["with-factor"] };

/** A factor of the user that was just confirmed; its recovery codes, and how many are left of them. */
async function factorOf({ storage: { repositories: r }, send }: Stage) {
  await r.applications.create({ name: "with-factor", seats: null, secondFactor: "optional" });
  const { account } = await r.accounts.forProof(credentials.user, []);
  const subject = `user:${account?.userId ?? ""}`;
  await r.secondFactors.remove(subject, null);
  const { data: session } = await send({ method: "POST", path: "/v1/login", body: withFactor, sessionId: null });
  const { data } = await send({ method: "POST", path: "/v1/2fa/secret?app=with-factor", sessionId: session.sessionId });
  const find = async () => (await r.secondFactors.find(subject, ["with-factor"]))[0];
  const begun = await find();
  if (begun === undefined || !(await r.secondFactors.accept(begun, 0))) throw new Error("The factor cannot be confirmed.");
  return { sessionId: session.sessionId as string, codes: data.recoveryCodes as string[], left: async () => (await find())?.recoveryCodes.length };
}

/** Routes that open and end sessions. */
export const sessionOperations: readonly WriteOperation[] = [
  ...["/v1/login", "/v2/login"].map((path): WriteOperation => ({
    title: `logs in by ${path}`,
    done: "together",
    prepare: async (stage) => {
      const requestId = randomUUID();
      const state = await watch(stage, requestId, { sessions: 1, event: "login.accepted" });
      return { request: { method: "POST", path, body: credentials, sessionId: null, requestId }, state };
    },
  })),
  {
    title: "logs in with a second factor",
    done: "commit",
    prepare: async (stage) => {
      const { codes, left } = await factorOf(stage);
      const requestId = randomUUID();
      const opened = await watch(stage, requestId, { sessions: 1, event: "login.accepted" });
      const state = async () => either([await opened(), await left()], ["absent", 10], ["whole", 9]);
      return { request: { method: "POST", path: "/v1/login", body: { ...withFactor, "2faToken": codes[0] }, sessionId: null, requestId }, state };
    },
  },
  {
    title: "switches a second factor off",
    done: "commit",
    prepare: async (stage) => {
      const { codes, left, sessionId } = await factorOf(stage);
      const requestId = randomUUID();
      const written = await watch(stage, requestId, { sessions: 0, event: "secondFactor.removed" });
      const state = async () => either([await written(), await left()], ["absent", 10], ["whole", undefined]);
      return { request: { method: "DELETE", path: "/v1/2fa/secret?app=with-factor", body: { token: codes[0] }, sessionId, requestId }, state };
    },
  },
  {
    title: "logs out",
    done: "commit",
    failure: 703,
    prepare: async (stage) => {
      const { data } = await stage.send({ method: "POST", path: "/v1/login", body: credentials, sessionId: null });
      const requestId = randomUUID();
      const state = await watch(stage, requestId, { sessions: -1, event: "logout" });
      return { request: { method: "POST", path: "/v1/logout", sessionId: data.sessionId, requestId }, state };
    },
  },
];
