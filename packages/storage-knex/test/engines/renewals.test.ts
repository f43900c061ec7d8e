import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { AppKey, Storage } from "@sallyport/storage";
import { until } from "@sallyport/test-kit/jest/until";
import { digestOf, newSession, openPolicy } from "../sample.ts";
import { onEngines } from "./on-engines.ts";

const second = 1_000;

// Sessions are extended in batches. The idle timeout is ten minutes, so an extension is due in the background after 50 s, and
// at once after 60 s.
onEngines("extensions of sessions", (database) => {
  const { idleTimeout } = openPolicy;
  const key = digestOf(randomUUID());
  let offset = 0;
  let storage: Storage;
  let appKey: AppKey;
  let userId: string;

  beforeAll(async () => {
    storage = await database().storage({ clockOffset: () => offset });
    const { accounts, admission, appKeys, objects } = storage.repositories;
    const loginName = randomUUID();
    [{ id: userId } = { id: "" }] = await objects.insert([{ className: "User", attributes: { Name: loginName } }]);
    await accounts.create({ userId, loginName, secret: "secret", administrator: false }, loginName);
    await appKeys.create({ name: randomUUID(), appNames: null, origins: [] }, key);
    appKey = (await admission.admit({ appKey: key, session: null, idleTimeout })).appKey as AppKey;
  });
  beforeEach(() => {
    offset = 0;
  });

  async function openSession(): Promise<string> {
    const session = newSession(randomUUID(), { userId, appKeyId: appKey.id });
    await storage.repositories.sessions.open(session, openPolicy);
    return session.digest;
  }

  const request = async (session: string, { repositories } = storage): Promise<boolean> =>
    (await repositories.admission.admit({ appKey: key, session, idleTimeout })).session !== null;

  /** Seconds from its opening to the idle expiry of a session. */
  async function lifetime(digest: string): Promise<number> {
    const [session] = await storage.repositories.sessions.list({ after: null, limit: 1 }, { digest });
    return Math.round(((session?.expiresAt ?? 0) - (session?.openedAt ?? 0)) / second);
  }

  test("a late session is extended before its request goes on", async () => {
    const sessions = await Promise.all(Array.from({ length: 20 }, openSession));
    offset = 61 * second;
    expect(await Promise.all(sessions.map((session) => request(session)))).toEqual(Array(20).fill(true));
    for (const session of sessions) expect(await lifetime(session)).toBeGreaterThanOrEqual(661);
  });

  test("another one is extended in the background, from the time of its request", async () => {
    const session = await openSession();
    offset = 45 * second;
    await request(session);
    offset = 55 * second;
    expect(await request(session)).toBe(true);
    // A loss of the renewal here would leave the lifetime that every session has at least: 55 s + 600 s − 60 s.
    expect(await lifetime(session)).toBe(600);
    offset = 70 * second;
    await until(async () => (await lifetime(session)) !== 600);
    expect(Math.abs((await lifetime(session)) - 655)).toBeLessThanOrEqual(1);
  });

  test("a closing storage stores what waits", async () => {
    const session = await openSession();
    const other = await database().storage({ clockOffset: () => 55 * second });
    expect(await request(session, other)).toBe(true);
    await other.close();
    expect(await lifetime(session)).toBeGreaterThanOrEqual(655);
  });

  test("a locked session delays no other one", async () => {
    const [locked, free] = [await openSession(), await openSession()];
    offset = 61 * second;
    let over = false;
    let waiting: Promise<unknown> = Promise.resolve();
    await storage.transaction(async ({ sessions }) => {
      await sessions.renew(locked, 1);
      waiting = request(locked).finally(() => (over = true));
      expect(await request(free)).toBe(true);
      await pause(50);
      expect(over).toBe(false);
    });
    expect(await waiting).toBe(true);
    for (const session of [locked, free]) expect(await lifetime(session)).toBeGreaterThanOrEqual(661);
  });

  test("a transaction extends a late session in place, and no other", async () => {
    const [late, due] = [await openSession(), await openSession()];
    for (const [session, ahead] of [
      [late, 61],
      [due, 55],
    ] as const) {
      offset = ahead * second;
      await storage.transaction(({ admission }) => admission.admit({ appKey: key, session, idleTimeout, lock: true }));
    }
    expect(await lifetime(late)).toBeGreaterThanOrEqual(661);
    expect(await lifetime(due)).toBe(600);
  });
});
