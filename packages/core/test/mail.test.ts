import { Applications, MailerUnusable, type MailJob, SealedMailJobs } from "../src/index.ts";
import { MailFixture, minute, sealedOrders } from "./mail/mail-fixture.ts";

describe("deliver mail", () => {
  const changed: MailJob = { kind: "passwordChanged", to: "anna@example.com", name: "Anna", language: "en" };
  const reset: MailJob = { kind: "passwordReset", user: "anna", language: "de" };

  let fixture: MailFixture;

  beforeEach(async () => {
    fixture = await MailFixture.open();
  });

  test("what was sent is forgotten", async () => {
    await fixture.orderMail.queueMail(fixture.desk, changed);
    expect(await fixture.deliver()).toEqual({ kind: "sent" });
    expect(fixture.sent).toMatchObject([
      { to: "anna@example.com", subject: "passwordChanged", reference: expect.stringMatching(/^[0-9a-f]{32}$/) },
    ]);
    expect((await fixture.waiting()).count).toBe(0);
  });

  test("what is refused for good is forgotten, and told", async () => {
    await fixture.orderMail.queueMail(fixture.desk, changed);
    fixture.onSend = async () => ({ kind: "refused", reply: "550 5.1.1" });
    expect(await fixture.deliver()).toEqual({ kind: "refused", reply: "550 5.1.1" });
    expect((await fixture.waiting()).count).toBe(0);
  });

  test("what may be taken later is tried again after growing delays, up to a longest one", async () => {
    await fixture.orderMail.queueMail(fixture.desk, changed);
    fixture.onSend = async () => ({ kind: "later", reply: "450" });
    const delays = [];
    for (let attempt = 0; attempt < 9; attempt += 1) {
      const delivery = await fixture.deliver();
      const delay = delivery.kind === "later" ? delivery.delay : 0;
      delays.push(delay / 1_000);
      fixture.advance(delay - 1_000);
      expect(await fixture.due()).toEqual([]);
      fixture.advance(2_000);
    }
    expect(delays).toEqual([10, 20, 40, 80, 160, 320, 600, 600, 600]);
    expect((await fixture.waiting()).stuck).toBe(0);
  });

  test("a transport that cannot be used is tried again within a minute, and counts as such", async () => {
    await fixture.orderMail.queueMail(fixture.desk, changed);
    const error = new MailerUnusable("away", "not there");
    fixture.onSend = () => Promise.reject(error);
    const delays = [];
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const delivery = await fixture.deliver();
      expect(delivery).toMatchObject({ kind: "stuck", error });
      const delay = delivery.kind === "stuck" ? delivery.delay : 0;
      delays.push(delay / 1_000);
      fixture.advance(delay + 1_000);
    }
    expect(delays).toEqual([10, 20, 40, 60, 60]);
    expect((await fixture.waiting()).stuck).toBeGreaterThan(2 * minute);
  });

  test("an order counts as stuck from the first time that the transport keeps it until something else does, and no longer than it waits", async () => {
    const away = () => Promise.reject(new MailerUnusable("away", "not there"));
    const stuckMinutes = async () => Math.floor((await fixture.waiting()).stuck / minute);
    await fixture.orderMail.queueMail(fixture.desk, changed);
    fixture.onSend = away;
    await fixture.deliver();
    fixture.advance(5 * minute);
    await fixture.deliver();
    expect(await stuckMinutes()).toBe(5);
    fixture.advance(2 * minute);
    fixture.onSend = async () => ({ kind: "later", reply: "450" });
    await fixture.deliver();
    expect(await fixture.waiting()).toMatchObject({ count: 1, stuck: 0 });
    fixture.onSend = away;
    fixture.advance(10 * minute);
    await fixture.deliver();
    fixture.advance(2 * minute);
    expect(await stuckMinutes()).toBe(2);
    fixture.onSend = async () => ({ kind: "sent" });
    await fixture.deliver();
    expect(await fixture.waiting()).toEqual({ count: 0, oldest: 0, stuck: 0 });
    await fixture.orderMail.queueMail(fixture.desk, reset);
    fixture.onSend = away;
    fixture.advance(50 * minute);
    await fixture.deliver();
    fixture.advance(11 * minute);
    expect(await fixture.waiting()).toEqual({ count: 0, oldest: 0, stuck: 0 });
  });

  test("what was broken off is sent again with the same reference", async () => {
    await fixture.orderMail.queueMail(fixture.desk, reset);
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
        if (fails) throw new MailerUnusable("away", "broke off");
        return { kind: "sent" };
      };
      await fixture.deliver();
      fixture.advance(2 * minute);
    }
    expect([new Set(references).size, tokens, prepared]).toEqual([1, ["token 1", "token 1", "token 1"], 1]);
  });

  describe("a request for a new password", () => {
    test("is prepared when it is sent, and its token waits sealed", async () => {
      await fixture.orderMail.queueMail(fixture.desk, reset);
      fixture.onSend = () => Promise.reject(new MailerUnusable("away", "not there"));
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

    test("of nobody is forgotten without a mail", async () => {
      await fixture.orderMail.queueMail(fixture.desk, { ...reset, user: "nobody" });
      expect(await fixture.deliver()).toEqual({ kind: "nobody" });
      expect([fixture.sent, (await fixture.waiting()).count]).toEqual([[], 0]);
    });

    test("leaves nothing of its preparation when somebody else has taken it over", async () => {
      await fixture.orderMail.queueMail(fixture.desk, reset);
      const late = await fixture.claim();
      fixture.advance(2 * minute);
      await fixture.claim();
      fixture.resetMail = {
        prepare: async (r, { user }) => {
          await new Applications(r.records).create({ name: user, seats: null });
          return { to: "anna@example.com", name: "Anna", token: "token", minutes: 30 };
        },
      };
      expect(await fixture.deliver(late)).toEqual({ kind: "lost", sent: false });
      expect([await new Applications(fixture.storage.repositories.records).known(["anna"]), fixture.sent]).toEqual([
        [],
        [],
      ]);
    });

    test("whose preparation fails is tried again", async () => {
      await fixture.orderMail.queueMail(fixture.desk, reset);
      const error = new Error("failed");
      fixture.resetMail = { prepare: () => Promise.reject(error) };
      expect(await fixture.deliver()).toEqual({ kind: "failed", error, delay: 10_000 });
      expect((await fixture.waiting()).count).toBe(1);
    });
  });

  test("an order that was lost while it was sent is told, as it may arrive twice", async () => {
    await fixture.orderMail.queueMail(fixture.desk, changed);
    fixture.onSend = async () => {
      fixture.advance(2 * minute);
      await fixture.claim();
      return { kind: "sent" };
    };
    expect(await fixture.deliver()).toEqual({ kind: "lost", sent: true });
    expect((await fixture.waiting()).count).toBe(1);
  });

  test("an order of another master key waits for whoever can open it", async () => {
    await fixture.orderMail.queueMail(fixture.desk, changed);
    const delivery = await fixture
      .deliverMail(sealedOrders(8))
      .deliverMail({ alias: "a", storage: fixture.storage }, await fixture.claim());
    expect(delivery).toMatchObject({ kind: "failed", delay: 10_000 });
    fixture.advance(minute);
    expect(await fixture.deliver()).toEqual({ kind: "sent" });
  });
});

describe("order mail", () => {
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

  test("an order waits sealed, and whoever sends is told", async () => {
    await fixture.orderMail.queueMail(fixture.desk, changed);
    const { sealed } = (await fixture.claim()).value;
    expect(sealed).not.toMatch(/anna/i);
    expect(fixture.orders.open("a", sealed)).toEqual({ job: changed });
    expect(fixture.rung).toEqual(["a"]);
  });

  test("what was sealed for one database is nothing to another, nor under another master key", async () => {
    const sealed = fixture.orders.seal("a", { job: changed });
    expect([
      fixture.orders.open("b", sealed),
      sealedOrders(8).open("a", sealed),
      fixture.orders.open("a", `${sealed}x`),
      fixture.orders.open("a", ""),
    ]).toEqual([undefined, undefined, undefined, undefined]);
  });

  test("an order of a transaction that fails was never there", async () => {
    const failed = fixture.storage.transaction(async (r) => {
      await fixture.orderMail.queueMail({ alias: "a", r }, changed);
      throw new Error("failed");
    });
    await expect(failed).rejects.toThrow("failed");
    expect((await fixture.waiting()).count).toBe(0);
  });

  test.each([
    ["a code", code, 9, 11],
    ["a request for a new password", reset, 59, 61],
    ["a notice", changed, 3 * 24 * 60 - 1, 3 * 24 * 60 + 1],
  ])("%s is sent as long as it is worth something", async (_what, order, before, after) => {
    await fixture.orderMail.queueMail(fixture.desk, order);
    fixture.advance(before * minute);
    expect((await fixture.waiting()).count).toBe(1);
    fixture.advance((after - before) * minute);
    expect((await fixture.waiting()).count).toBe(0);
  });

  test("without mail, and without a master key, orders are refused with 712", async () => {
    const none = fixture.orderMailWith({ settings: null });
    const unsealed = fixture.orderMailWith({ jobs: new SealedMailJobs(null) });
    expect([none.configured, fixture.orderMail.configured]).toEqual([false, true]);
    for (const orders of [none, unsealed])
      await expect(orders.queueMail(fixture.desk, reset)).rejects.toMatchObject({ code: 712 });
    expect((await fixture.waiting()).count).toBe(0);
  });

  test("more than may wait is refused with 706, and requests for a new password leave half of the room", async () => {
    const { orderMail: queueMail, desk } = fixture;
    for (let index = 0; index < 5; index += 1) await queueMail.queueMail(desk, reset);
    await expect(queueMail.queueMail(desk, reset)).rejects.toMatchObject({ code: 706 });
    for (const order of [code, changed, code, changed, code]) await queueMail.queueMail(desk, order);
    await expect(queueMail.queueMail(desk, code)).rejects.toMatchObject({ code: 706 });
  });

  describe("while no mail can be handed over", () => {
    beforeEach(async () => {
      await fixture.orderMail.queueMail(fixture.desk, changed);
      fixture.onSend = () => Promise.reject(new MailerUnusable("away", "not there"));
      await fixture.deliver();
      fixture.onSend = async () => ({ kind: "sent" });
    });

    test("orders are taken for a while, then refused with 712 for users and for others", async () => {
      fixture.advance(14 * minute);
      await fixture.orderMail.queueMail(fixture.desk, reset);
      fixture.advance(2 * minute);
      for (const user of ["anna", "nobody"])
        await expect(fixture.orderMail.queueMail(fixture.desk, { ...reset, user })).rejects.toMatchObject({
          code: 712,
        });
    });

    test("they are taken again when one was sent", async () => {
      fixture.advance(20 * minute);
      await fixture.deliver();
      await fixture.orderMail.queueMail(fixture.desk, reset);
      expect((await fixture.waiting()).count).toBe(1);
    });
  });

  test("an order that one address keeps waiting has nothing refused", async () => {
    await fixture.orderMail.queueMail(fixture.desk, changed);
    fixture.onSend = async () => ({ kind: "later", reply: "450" });
    await fixture.deliver();
    fixture.advance(60 * minute);
    await fixture.orderMail.queueMail(fixture.desk, reset);
    expect((await fixture.waiting()).count).toBe(2);
  });
});
