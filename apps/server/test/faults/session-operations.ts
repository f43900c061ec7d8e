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
