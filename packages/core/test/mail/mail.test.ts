import { Applications, MailerUnusable, type MailJob, SealedMailJobs, queueMail } from "../../src/index.ts";
import { MailFixture, minute, sealedMailJobs } from "./mail-fixture.ts";

describe("mail delivery", () => {
  const changed: MailJob = { kind: "passwordChanged", to: "anna@example.com", name: "Anna", language: "en" };
  const reset: MailJob = { kind: "passwordReset", user: "anna", language: "de" };

  let fixture: MailFixture;

  beforeEach(async () => {
    fixture = await MailFixture.open();
  });

  test("forgets a sent message", async () => {
    await queueMail(fixture.mailContext, changed);
    expect(await fixture.deliver()).toEqual({ kind: "sent" });
    expect(fixture.sent).toMatchObject([
      { to: "anna@example.com", subject: "passwordChanged", reference: expect.stringMatching(/^[0-9a-f]{32}$/) },
    ]);
    expect((await fixture.waiting()).count).toBe(0);
  });

  test("forgets a message that is refused permanently, and reports it", async () => {
    await queueMail(fixture.mailContext, changed);
    fixture.onSend = async () => ({ kind: "rejected", reply: "550 5.1.1" });
    expect(await fixture.deliver()).toEqual({ kind: "rejected", reply: "550 5.1.1" });
    expect((await fixture.waiting()).count).toBe(0);
  });

  test("retries a temporary refusal after growing delays, up to a maximum", async () => {
    await queueMail(fixture.mailContext, changed);
    fixture.onSend = async () => ({ kind: "deferred", reply: "450" });
    const delays = [];
    for (let attempt = 0; attempt < 9; attempt += 1) {
      const delivery = await fixture.deliver();
      const delay = delivery.kind === "deferred" ? delivery.delay : 0;
      delays.push(delay / 1_000);
      fixture.advance(delay - 1_000);
      expect(await fixture.due()).toEqual([]);
      fixture.advance(2_000);
    }
    expect(delays).toEqual([10, 20, 40, 80, 160, 320, 600, 600, 600]);
    expect((await fixture.waiting()).stuck).toBe(0);
  });

  test("retries within a minute while the transport is unavailable, and counts it", async () => {
    await queueMail(fixture.mailContext, changed);
    const error = new MailerUnusable("unreachable", "not there");
    fixture.onSend = () => Promise.reject(error);
    const delays = [];
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const delivery = await fixture.deliver();
      expect(delivery).toMatchObject({ kind: "unavailable", error });
      const delay = delivery.kind === "unavailable" ? delivery.delay : 0;
      delays.push(delay / 1_000);
      fixture.advance(delay + 1_000);
    }
    expect(delays).toEqual([10, 20, 40, 60, 60]);
    expect((await fixture.waiting()).stuck).toBeGreaterThan(2 * minute);
  });

  test("a job counts as stuck from its first transport failure until another outcome, at most for its waiting time", async () => {
    const failing = () => Promise.reject(new MailerUnusable("unreachable", "not there"));
    const stuckMinutes = async () => Math.floor((await fixture.waiting()).stuck / minute);
    await queueMail(fixture.mailContext, changed);
    fixture.onSend = failing;
    await fixture.deliver();
    fixture.advance(5 * minute);
    await fixture.deliver();
    expect(await stuckMinutes()).toBe(5);
    fixture.advance(2 * minute);
    fixture.onSend = async () => ({ kind: "deferred", reply: "450" });
    await fixture.deliver();
    expect(await fixture.waiting()).toMatchObject({ count: 1, stuck: 0 });
    fixture.onSend = failing;
    fixture.advance(10 * minute);
    await fixture.deliver();
    fixture.advance(2 * minute);
    expect(await stuckMinutes()).toBe(2);
    fixture.onSend = async () => ({ kind: "sent" });
    await fixture.deliver();
    expect(await fixture.waiting()).toEqual({ count: 0, oldest: 0, stuck: 0 });
    await queueMail(fixture.mailContext, reset);
    fixture.onSend = failing;
    fixture.advance(50 * minute);
    await fixture.deliver();
    fixture.advance(11 * minute);
    expect(await fixture.waiting()).toEqual({ count: 0, oldest: 0, stuck: 0 });
  });

  test("sends an interrupted message again with the same reference", async () => {
    await queueMail(fixture.mailContext, reset);
    const references: string[] = [];
    const tokens: string[] = [];
    let prepared = 0;
    fixture.resetMail = {
      prepare: async () => {
        prepared += 1;
        return { to: "anna@example.com", name: "Anna", token: `token ${prepared}`, minutes: 30 };
      },
    };
    for (const fails of [true, true, false]) {
      fixture.onSend = async ({ reference, text }) => {
        references.push(reference);
        tokens.push(JSON.parse(text).token);
        if (fails) throw new MailerUnusable("unreachable", "broke off");
        return { kind: "sent" };
      };
      await fixture.deliver();
      fixture.advance(2 * minute);
    }
    expect([new Set(references).size, tokens, prepared]).toEqual([1, ["token 1", "token 1", "token 1"], 1]);
  });

  describe("request for a new password", () => {
    test("is prepared when it is sent, and its token waits sealed", async () => {
      await queueMail(fixture.mailContext, reset);
      fixture.onSend = () => Promise.reject(new MailerUnusable("unreachable", "not there"));
      await fixture.deliver();
      fixture.advance(2 * minute);
      const { sealed } = (await fixture.claim()).value;
      expect(sealed).not.toMatch(/anna|token/i);
      expect(fixture.orders.open("a", sealed)).toEqual({
        message: {
          kind: "passwordReset",
          to: "anna@example.com",
          name: "Anna",
          token: "token",
          minutes: 30,
          language: "de",
        },
      });
    });

    test("for an unknown user is forgotten without a message", async () => {
      await queueMail(fixture.mailContext, { ...reset, user: "nobody" });
      expect(await fixture.deliver()).toEqual({ kind: "skipped" });
      expect([fixture.sent, (await fixture.waiting()).count]).toEqual([[], 0]);
    });

    test("discards its preparation when another process takes it over", async () => {
      await queueMail(fixture.mailContext, reset);
      const late = await fixture.claim();
      fixture.advance(2 * minute);
      await fixture.claim();
      fixture.resetMail = {
        prepare: async (r, { user }) => {
          await new Applications(r.records).create({ name: user, seats: null });
          return { to: "anna@example.com", name: "Anna", token: "token", minutes: 30 };
        },
      };
      expect(await fixture.deliver(late)).toEqual({ kind: "superseded", sent: false });
      expect([await new Applications(fixture.storage.repositories.records).existing(["anna"]), fixture.sent]).toEqual([
        [],
        [],
      ]);
    });

    test("is retried when its preparation fails", async () => {
      await queueMail(fixture.mailContext, reset);
      const error = new Error("failed");
      fixture.resetMail = { prepare: () => Promise.reject(error) };
      expect(await fixture.deliver()).toEqual({ kind: "failed", error, delay: 10_000 });
      expect((await fixture.waiting()).count).toBe(1);
    });
  });

  test("reports a job that was lost while it was sent, as it may arrive twice", async () => {
    await queueMail(fixture.mailContext, changed);
    fixture.onSend = async () => {
      fixture.advance(2 * minute);
      await fixture.claim();
      return { kind: "sent" };
    };
    expect(await fixture.deliver()).toEqual({ kind: "superseded", sent: true });
    expect((await fixture.waiting()).count).toBe(1);
  });

  test("a job sealed with another master key waits for a process with that key", async () => {
    await queueMail(fixture.mailContext, changed);
    const delivery = await fixture
      .deliverMail(sealedMailJobs(8))
      .deliverMail({ alias: "a", storage: fixture.storage }, await fixture.claim());
    expect(delivery).toMatchObject({ kind: "failed", delay: 10_000 });
    fixture.advance(minute);
    expect(await fixture.deliver()).toEqual({ kind: "sent" });
  });
});

describe("mail job", () => {
  const changed: MailJob = {
    kind: "passwordChanged",
    to: "anna@example.com",
    name: "Anna Ähnlich \u{1f469}",
    language: "de",
  };
  const reset: MailJob = { kind: "passwordReset", user: "anna", language: "en" };
  const code: MailJob = {
    kind: "confirmationCode",
    to: "anna@example.com",
    name: "Anna",
    code: "123456",
    minutes: 10,
    language: "en",
  };

  let fixture: MailFixture;

  beforeEach(async () => {
    fixture = await MailFixture.open();
  });

  test("waits sealed, and wakes the sender", async () => {
    await queueMail(fixture.mailContext, changed);
    const { sealed } = (await fixture.claim()).value;
    expect(sealed).not.toMatch(/anna/i);
    expect(fixture.orders.open("a", sealed)).toEqual({ job: changed });
    expect(fixture.rung).toEqual(["a"]);
  });

  test("sealed for one database cannot be opened by another, nor with another master key", async () => {
    const sealed = fixture.orders.seal("a", { job: changed });
    expect([
      fixture.orders.open("b", sealed),
      sealedMailJobs(8).open("a", sealed),
      fixture.orders.open("a", `${sealed}x`),
      fixture.orders.open("a", ""),
    ]).toEqual([undefined, undefined, undefined, undefined]);
  });

  test("of a rolled-back transaction does not exist", async () => {
    const failed = fixture.storage.transaction(async (r) => {
      await queueMail({ ...fixture.mailContext, r }, changed);
      throw new Error("failed");
    });
    await expect(failed).rejects.toThrow("failed");
    expect((await fixture.waiting()).count).toBe(0);
  });

  test.each([
    ["a code", code, 9, 11],
    ["a request for a new password", reset, 59, 61],
    ["a notice", changed, 3 * 24 * 60 - 1, 3 * 24 * 60 + 1],
  ])("%s is sent while it is useful", async (_what, order, before, after) => {
    await queueMail(fixture.mailContext, order);
    fixture.advance(before * minute);
    expect((await fixture.waiting()).count).toBe(1);
    fixture.advance((after - before) * minute);
    expect((await fixture.waiting()).count).toBe(0);
  });

  test("is refused with 712 without mail and without a master key", async () => {
    for (const outbox of [{ settings: null }, { jobs: new SealedMailJobs(null) }])
      await expect(queueMail(fixture.mailContextWith(outbox), reset)).rejects.toMatchObject({ code: 712 });
    expect((await fixture.waiting()).count).toBe(0);
  });

  test("is refused with 706 when the queue is full, and requests for a new password leave half of the room", async () => {
    const { mailContext } = fixture;
    for (let index = 0; index < 5; index += 1) await queueMail(mailContext, reset);
    await expect(queueMail(mailContext, reset)).rejects.toMatchObject({ code: 706 });
    for (const order of [code, changed, code, changed, code]) await queueMail(mailContext, order);
    await expect(queueMail(mailContext, code)).rejects.toMatchObject({ code: 706 });
  });

  describe("while no message can be delivered", () => {
    beforeEach(async () => {
      await queueMail(fixture.mailContext, changed);
      fixture.onSend = () => Promise.reject(new MailerUnusable("unreachable", "not there"));
      await fixture.deliver();
      fixture.onSend = async () => ({ kind: "sent" });
    });

    test("jobs are accepted for a while, then refused with 712 for all users", async () => {
      fixture.advance(14 * minute);
      await queueMail(fixture.mailContext, reset);
      fixture.advance(2 * minute);
      for (const user of ["anna", "nobody"])
        await expect(queueMail(fixture.mailContext, { ...reset, user })).rejects.toMatchObject({
          code: 712,
        });
    });

    test("jobs are accepted again after a delivery", async () => {
      fixture.advance(20 * minute);
      await fixture.deliver();
      await queueMail(fixture.mailContext, reset);
      expect((await fixture.waiting()).count).toBe(1);
    });
  });

  test("one undeliverable address does not cause refusals", async () => {
    await queueMail(fixture.mailContext, changed);
    fixture.onSend = async () => ({ kind: "deferred", reply: "450" });
    await fixture.deliver();
    fixture.advance(60 * minute);
    await queueMail(fixture.mailContext, reset);
    expect((await fixture.waiting()).count).toBe(2);
  });
});
