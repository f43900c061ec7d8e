import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startRealPostgres } from "@sallyport/test-kit/databases/postgres";
import { createCustomers, type HeavyRequest, heavyRequests, logInRequest } from "../requests/heavy-requests.ts";
import { ServerProcess } from "../processes/server-process.ts";
import { inFlight, logIn, send, smallList, statusOf, turnEnvironment } from "../requests/turn-fixture.ts";

/** A database for the demo, and what removes it. */
async function postgresDatabase() {
  const postgres = await startRealPostgres();
  const database = await postgres.createDatabase();
  const close = async () => {
    await database.drop();
    await postgres.stop();
  };
  return { environment: { DATABASE_URL: database.url }, close };
}

const embeddedDatabase = async () => ({ environment: {}, close: async () => {} });

const sources: readonly (readonly [title: string, heavy: (index: number) => HeavyRequest, sessions: number])[] = [
  ...Object.entries(heavyRequests).flatMap(([kind, heavy]) =>
    [1, 100].map((sessions) => [`100 ${kind} of a person with ${sessions} sessions`, heavy, sessions] as const),
  ),
  ["100 log-ins of a person", () => logInRequest, 0],
];

/** A small list of another person is answered no later than three of the heavy requests take alone. */
describe.each([
  ["embedded", embeddedDatabase],
  ["Postgres", postgresDatabase],
])("on %s", (_engine, open) => {
  let directory: string;
  let database: Awaited<ReturnType<typeof open>>;
  let server: ServerProcess;
  let subject: { readonly url: string };
  let other: string;
  let sessions: readonly string[];

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "sallyport-"));
    database = await open();
    const environment = { ...turnEnvironment, ...database.environment, PORT: "0", DATA_DIR: directory };
    server = new ServerProcess(["serve"], environment, directory);
    subject = { url: await server.url() };
    other = await logIn(subject, "admin");
    const opened: string[] = [];
    while (opened.length < 100) opened.push(await logIn(subject, "demo"));
    sessions = opened;
    await createCustomers(subject, opened[0] as string, 160);
  });
  afterAll(async () => {
    await server.kill();
    await database.close();
    rmSync(directory, { recursive: true, force: true });
  });

  async function timeOf(request: HeavyRequest, sessionId: string | undefined): Promise<number> {
    const began = performance.now();
    expect(await statusOf(send(subject, request, sessionId))).toBe(200);
    return performance.now() - began;
  }

  /** The longest time of three requests, one after the other. */
  async function alone(heavy: (index: number) => HeavyRequest, sessionId: string | undefined): Promise<number> {
    const times: number[] = [];
    for (let index = 0; index < 3; index += 1) times.push(await timeOf(heavy(index), sessionId));
    return Math.max(...times);
  }

  const report = (title: string, time: number, heavy: number, more = "") =>
    process.stdout.write(`${title}: ${Math.round(time)} ms; one heavy request alone: ${Math.round(heavy)} ms${more}\n`);

  type SessionOf = (index: number) => string | undefined;

  /** The time of a small list of another person that is sent after 100 requests have arrived, and how many of them it let pass. */
  async function behind(heavy: (index: number) => HeavyRequest, sessionOf: SessionOf) {
    let answered = 0;
    const answers = Array.from({ length: 100 }, async (_, index) => {
      await statusOf(send(subject, heavy(index), sessionOf(index)));
      answered += 1;
    });
    while ((await inFlight(subject)) + answered < 100) await pause(1);
    const before = answered;
    const time = await timeOf(smallList, other);
    const passed = answered - before;
    await Promise.all(answers);
    return { time, passed };
  }

  test.each(sources)("%s", async (title, heavy, of) => {
    const sessionOf: SessionOf = (index) => (of === 0 ? undefined : sessions[index % of]);
    // Also 100 cheap requests cost something to receive.
    const { time: receiving } = await behind(
      () => smallList,
      (index) => sessions[index],
    );
    const one = await alone(heavy, sessionOf(0));
    const { time, passed } = await behind(heavy, sessionOf);
    const bound = receiving + 3 * one;
    report(title, time, one, `; bound: ${Math.round(bound)} ms; heavy requests answered before it: ${passed}`);
    expect(time).toBeLessThan(bound);
  });

  test("600 lists that are sent and closed at once", async () => {
    const session = sessions[0] as string;
    const one = await alone(heavyRequests.lists, session);
    let closed = 0;
    const sent = Array.from({ length: 600 }, () =>
      send(subject, heavyRequests.lists(), session).on("close", () => void (closed += 1)),
    );
    while ((await inFlight(subject)) + closed < sent.length) await pause(1);
    for (const each of sent) each.destroy();
    const time = await timeOf(heavyRequests.lists(), session);
    report("a list after 600 closed ones", time, one);
    // Five at a time take a fifth of all. Receiving 600 requests and noticing their ends takes much less.
    expect(time).toBeLessThan((sent.length * one) / 10);
    while ((await inFlight(subject)) > 0) await pause(10);
  });
});
