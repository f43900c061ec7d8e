import { once } from "node:events";
import { type ClientRequest, get, type IncomingMessage } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { RunningServer } from "../src/index.ts";
import { call } from "./client.ts";
import type { DemoOfSuite } from "./engines.ts";
import { appKey } from "./subject.ts";

/** How persons share the connections to a database. */
export function turnSuite(server: () => RunningServer, demo: DemoOfSuite): void {
  const logIn = async (user: string): Promise<string> => {
    const body = { user, pass: user, appNames: "demo-app" };
    return (await call(server(), "/v1/login", { method: "POST", body })).body.data.sessionId;
  };

  /** A list that is counted, and one whose objects are counted as they are read. */
  const slow = `/v1/objects/Customer?query=${encodeURIComponent('{"where":{"City":"nowhere"}}')}`;
  const small = "/v1/objects/User?perPage=1000";

  const send = (path: string, sessionId: string): ClientRequest =>
    get(server().url + path, { headers: { appkey: appKey, sessionid: sessionId }, agent: false }).on("error", () => {});

  const statusOf = async (sent: ClientRequest): Promise<number> => {
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    await once(answer.resume(), "end");
    return answer.statusCode ?? 0;
  };

  const inFlight = async (): Promise<number> => {
    const text = await (await fetch(`${server().url}/metrics`)).text();
    return Number(/^sallyport_requests_in_flight (\d+)$/m.exec(text)?.[1]);
  };

  /** Runs work while no list can be counted, after as many lists of the sessions have arrived. They are sent, too. */
  async function whileBlocked(
    sessions: readonly string[],
    work: (sent: readonly ClientRequest[]) => Promise<void>,
  ): Promise<void> {
    const { sql } = demo.postgres();
    await sql.query("begin; lock table sallyport_demo.object_counts in access exclusive mode");
    const sent = Array.from({ length: 40 }, (_, index) => send(slow, sessions[index % sessions.length] as string));
    while ((await inFlight()) < sent.length) await pause(10);
    await work(sent);
    await sql.query("rollback");
  }

  test.each([1, 10])("no list waits for those of another person with %i sessions", async (count) => {
    if (demo.postgres() === null) return;
    const others = await logIn("admin");
    const sessions = await Promise.all(Array.from({ length: count }, () => logIn("demo")));
    const answers: Promise<number>[] = [];
    await whileBlocked(sessions, async (sent) => {
      answers.push(...sent.map(statusOf));
      expect(await statusOf(send(small, others))).toBe(200);
    });
    expect(new Set(await Promise.all(answers))).toEqual(new Set([200]));
  });

  test("requests without their clients leave the queue, and running reads are cancelled", async () => {
    if (demo.postgres() === null) return;
    const sessionId = await logIn("demo");
    await whileBlocked([sessionId], async (sent) => {
      for (const each of sent) each.destroy();
      while ((await inFlight()) > 0) await pause(10);
    });
    expect(await statusOf(send(slow, sessionId))).toBe(200);
  });
}
