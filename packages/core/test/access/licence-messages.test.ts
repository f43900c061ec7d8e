import {
  type ClaimedLicenceMessage,
  DeliverLicenceMessages,
  licenceCounts,
  LicenceMessages,
  licenceMessages,
} from "@sallyport/core";
import { digests, type Fixture, openFixture, random } from "../fixture.ts";

/** Messages to a licence server. */
describe("licence messages", () => {
  const [second, minute, day] = [1_000, 60_000, 86_400_000];
  const lease = 65 * second;
  let offset: number;
  let fixture: Fixture;
  let sent: { readonly id: string; readonly body: string }[];
  let isAway: boolean;
  let delivery: DeliverLicenceMessages;

  beforeEach(async () => {
    [offset, sent, isAway] = [0, [], false];
    fixture = await openFixture({}, () => offset);
    const send = async (message: { readonly id: string; readonly body: string }) => {
      sent.push(message);
      if (isAway) throw new Error("away");
    };
    delivery = new DeliverLicenceMessages({ send }, random);
  });

  const messagesWith = (required: boolean, queueLimit = 10) =>
    new LicenceMessages({
      settings: { required, queueLimit, lifetime: 7 * day, lease },
      digests,
      random,
      send: (database, message) => delivery.send(database, message),
      notify: () => {},
    });
  const change = {
    event: "session.opened",
    appNames: ["app"],
    userId: "1",
    sessionDigest: "a".repeat(64),
    deviceId: null,
  } as const;
  const due = (): Promise<ClaimedLicenceMessage[]> => fixture.r.records.claim(licenceMessages, 10, lease);
  const waiting = async () => (await fixture.r.records.count(licenceMessages)).count;
  const count = () => delivery.count(fixture.database, { interval: minute, lifetime: 7 * day });
  const types = () => sent.map(({ body }) => (JSON.parse(body) as { type: string }).type);

  test("are retried with growing delays and the same id until they expire", async () => {
    isAway = true;
    await messagesWith(false).report(fixture.context, change)?.queue(fixture.r);
    const delays: number[] = [];
    for (let tries = 0; tries < 12; tries += 1) {
      const claimed = await due();
      const [outcome] = await delivery.deliver(fixture.database, claimed);
      if (outcome?.kind !== "failed") throw new Error(`The outcome is ${outcome?.kind}.`);
      delays.push(outcome.delay / second);
      offset += outcome.delay - second;
      expect(await due()).toEqual([]);
      offset += second;
    }
    expect(delays).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600]);
    expect(new Set(sent.map(({ id, body }) => `${id} ${body}`)).size).toBe(1);
    offset += 7 * day;
    expect([await due(), await waiting()]).toEqual([[], 0]);
  });

  test("of a process that died before it sent them are sent by another, after the lease", async () => {
    await messagesWith(true).report(fixture.context, change)?.queueToConfirm(fixture.r);
    offset += lease - second;
    expect(await due()).toEqual([]);
    offset += second;
    expect((await delivery.deliver(fixture.database, await due())).map(({ kind }) => kind)).toEqual(["sent"]);
    expect([types(), await waiting()]).toEqual([["session.opened"], 0]);
  });

  test("whose claim another process has taken over are left to it", async () => {
    await messagesWith(false).report(fixture.context, change)?.queue(fixture.r);
    const first = await due();
    offset += lease;
    const later = await due();
    expect(await delivery.deliver(fixture.database, first)).toEqual([{ kind: "superseded" }]);
    expect(await delivery.deliver(fixture.database, later)).toEqual([{ kind: "sent" }]);
  });

  test("count the seats if they have changed, a required message has failed, or a day has passed", async () => {
    const counted = async () => {
      await count();
      await count();
      const claimed = await due();
      await delivery.deliver(fixture.database, claimed);
      return claimed.length;
    };
    expect(await counted()).toBe(1);
    offset += minute;
    expect(await counted()).toBe(0);
    const report = messagesWith(true).report(fixture.context, change);
    await report?.queueToConfirm(fixture.r);
    isAway = true;
    await expect(report?.confirm(async () => {})).rejects.toMatchObject({ code: 711 });
    isAway = false;
    expect(await fixture.r.records.get(licenceCounts, ["current"])).toEqual([]);
    expect([await counted(), await counted()]).toEqual([1, 0]);
    offset += day;
    expect(await counted()).toBe(1);
  });

  test("are not queued beyond the limit, nor without a receiver or an app name", async () => {
    const messages = messagesWith(false, 1);
    await messages.report(fixture.context, change)?.queue(fixture.r);
    messages.noteWaiting("", 1);
    await messages.report(fixture.context, change)?.queue(fixture.r);
    expect(await waiting()).toBe(1);
    messages.noteWaiting("", 0);
    await messages.report(fixture.context, change)?.queue(fixture.r);
    expect(await waiting()).toBe(2);
    expect(messages.report(fixture.context, { ...change, appNames: [] })).toBeNull();
    expect(new LicenceMessages(null).report(fixture.context, change)).toBeNull();
  });
});
