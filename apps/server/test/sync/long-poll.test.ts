import { setTimeout as pause } from "node:timers/promises";
import { openSession } from "../open-session.ts";
import { type Session, SyncFixture } from "./sync-fixture.ts";
import { onEngines } from "../engines.ts";

/** Pulls that wait for a change. */
onEngines("waiting pulls", (server) => {
  const fixture = new SyncFixture(server);
  let admin: Session;
  let demo: Session;
  beforeAll(async () => {
    admin = await openSession(server(), "session", "admin");
    demo = await openSession(server(), "session", "demo");
    for (const name of ["AwaitedNote", "OtherNote", "StillNote"]) await fixture.defineNotes(admin, name);
    await fixture.put({ name: "awaited", classes: [{ className: "AwaitedNote" }] });
    await fixture.put({ name: "still", classes: [{ className: "StillNote" }] });
  });

  const current = async (session = demo): Promise<string> =>
    (await fixture.pullAll(session, "awaited", "0")).syncVersion;
  const poll = (session: Session, syncVersion: string, wait = 20) =>
    fixture.pull(session, "awaited", { syncVersion, wait });
  const create = (className: string) => fixture.data(admin, "POST", `/v1/object/${className}`, { Title: "new" });
  /** The answer, which must come before that of a pull that waits for its whole time from now on. */
  const early = async <T>(work: Promise<T>): Promise<T> => {
    const { syncVersion } = await fixture.pullAll(admin, "still", "0");
    const whole = fixture.pull(admin, "still", { syncVersion, wait: 20 }).then(() => "waited for the whole time");
    expect(await Promise.race([work.then(() => "answered"), whole])).toBe("answered");
    return work;
  };

  test("answers at a change of the schema only", async () => {
    const syncVersion = await current();
    let isAnswered = false;
    const polling = poll(demo, syncVersion).finally(() => (isAnswered = true));
    await pause(700);
    await create("OtherNote");
    await pause(1_500);
    expect(isAnswered).toBe(false);
    const { "~UUID": uuid } = await create("AwaitedNote");
    const { body } = await early(polling);
    expect(body.data.changed.map((each: { "~UUID": string }) => each["~UUID"])).toContain(uuid);
  });

  test("answers at once if there is a change, and after the time without one", async () => {
    const syncVersion = await current();
    const { body } = await poll(demo, syncVersion, 1);
    expect(body.data).toMatchObject({ changed: [], hasMore: false, syncVersion: expect.any(String) });
    await create("AwaitedNote");
    expect((await early(poll(demo, syncVersion))).code).toBe("0");
  });

  test("ends with the session, and the oldest wait of a session with the fifth", async () => {
    const own = await openSession(server(), "session", "demo");
    const syncVersion = await current(own);
    const polls = [];
    for (let index = 0; index < 5; index += 1) {
      polls.push(poll(own, syncVersion));
      await pause(500);
    }
    const waited = polls.map((each, index) => each.then(() => index));
    expect(await Promise.race(waited)).toBe(0);
    expect((await polls[0])?.code).toBe("0");
    await fixture.send(own, "POST", "/v1/logout");
    const others = await early(Promise.all(polls.slice(1)));
    expect(others.map(({ code }) => code)).toEqual(["201", "201", "201", "201"]);
  });

  test("ends when the caller loses a group or a right", async () => {
    const groups = await fixture.data(admin, "GET", "/v1/objects/UserGroup");
    const idOf = (name: string) =>
      groups["~Elements"].find((each: { Name: string }) => each.Name === name)["~ObjectID"] as string;
    const query = encodeURIComponent(JSON.stringify({ where: { Name: "demo" } }));
    const [user] = (await fixture.data(admin, "GET", `/v1/objects/User?query=${query}`))["~Elements"];
    const setGroups = (names: readonly string[]) =>
      fixture.data(admin, "PATCH", `/v1/object/${user["~ObjectID"]}`, { Groups: names.map(idOf) });
    const polling = poll(demo, await current());
    await setGroups(["Readers"]);
    const answer = await early(polling);
    expect([answer.code, answer.headers["sync-restart"]]).toEqual(["330", "1"]);
    await setGroups(["Sales"]);
    const again = poll(demo, await current());
    await fixture.defineNotes(admin, "AwaitedNote", []);
    expect((await early(again)).code).toBe("330");
    await fixture.defineNotes(admin, "AwaitedNote");
  });

  test("restarts a client whose schema changes while it waits", async () => {
    const polling = poll(demo, await current());
    await pause(500);
    await fixture.put({ name: "awaited", classes: [{ className: "AwaitedNote" }], pageSize: 100 });
    const { code, headers } = await polling;
    expect([code, headers["sync-restart"]]).toEqual(["330", "1"]);
  });

  test("ends when the server shuts down", async () => {
    let isClosed = false;
    const polling = poll(demo, await current()).then(({ code }) => ({ code, isClosed }));
    await pause(500);
    // It waits for requests in progress.
    await server().close();
    isClosed = true;
    expect(await polling).toEqual({ code: "0", isClosed: false });
  });
});
