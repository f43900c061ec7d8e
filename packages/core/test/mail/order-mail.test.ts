import { MailerUnusable, type MailOrder, SealedOrders } from "../../src/index.ts";
import { MailFixture, minute, sealedOrders } from "./mail-fixture.ts";

const changed: MailOrder = {
  kind: "passwordChanged",
  to: "anna@example.com",
  name: "Anna Ähnlich \u{1f469}",
  language: "de",
};
const reset: MailOrder = { kind: "passwordReset", user: "anna", language: "en" };
const code: MailOrder = {
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
  await fixture.orderMail.run(fixture.desk, changed);
  const { sealed } = (await fixture.claim()).value;
  expect(sealed).not.toMatch(/anna/i);
  expect(fixture.orders.open("a", sealed)).toEqual({ order: changed });
  expect(fixture.rung).toEqual(["a"]);
});

test("what was sealed for one database is nothing to another, nor under another master key", async () => {
  const sealed = fixture.orders.seal("a", { order: changed });
  expect([
    fixture.orders.open("b", sealed),
    sealedOrders(8).open("a", sealed),
    fixture.orders.open("a", `${sealed}x`),
    fixture.orders.open("a", ""),
  ]).toEqual([undefined, undefined, undefined, undefined]);
});

test("an order of a transaction that fails was never there", async () => {
  const failed = fixture.storage.transaction(async (r) => {
    await fixture.orderMail.run({ alias: "a", r }, changed);
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
  await fixture.orderMail.run(fixture.desk, order);
  fixture.advance(before * minute);
  expect((await fixture.waiting()).count).toBe(1);
  fixture.advance((after - before) * minute);
  expect((await fixture.waiting()).count).toBe(0);
});

test("without mail, and without a master key, orders are refused with 712", async () => {
  const none = fixture.orderMailWith({ settings: null });
  const unsealed = fixture.orderMailWith({ orders: new SealedOrders(null) });
  expect([none.configured, fixture.orderMail.configured]).toEqual([false, true]);
  for (const orders of [none, unsealed])
    await expect(orders.run(fixture.desk, reset)).rejects.toMatchObject({ code: 712 });
  expect((await fixture.waiting()).count).toBe(0);
});

test("more than may wait is refused with 706, and requests for a new password leave half of the room", async () => {
  const { orderMail, desk } = fixture;
  for (let index = 0; index < 5; index += 1) await orderMail.run(desk, reset);
  await expect(orderMail.run(desk, reset)).rejects.toMatchObject({ code: 706 });
  for (const order of [code, changed, code, changed, code]) await orderMail.run(desk, order);
  await expect(orderMail.run(desk, code)).rejects.toMatchObject({ code: 706 });
});

describe("while no mail can be handed over", () => {
  beforeEach(async () => {
    await fixture.orderMail.run(fixture.desk, changed);
    fixture.onSend = () => Promise.reject(new MailerUnusable("away", "not there"));
    await fixture.deliver();
    fixture.onSend = async () => ({ kind: "sent" });
  });

  test("orders are taken for a while, then refused with 712 for users and for others", async () => {
    fixture.advance(14 * minute);
    await fixture.orderMail.run(fixture.desk, reset);
    fixture.advance(2 * minute);
    for (const user of ["anna", "nobody"])
      await expect(fixture.orderMail.run(fixture.desk, { ...reset, user })).rejects.toMatchObject({ code: 712 });
  });

  test("they are taken again when one was sent", async () => {
    fixture.advance(20 * minute);
    await fixture.deliver();
    await fixture.orderMail.run(fixture.desk, reset);
    expect((await fixture.waiting()).count).toBe(1);
  });
});

test("an order that one address keeps waiting has nothing refused", async () => {
  await fixture.orderMail.run(fixture.desk, changed);
  fixture.onSend = async () => ({ kind: "later", reply: "450" });
  await fixture.deliver();
  fixture.advance(60 * minute);
  await fixture.orderMail.run(fixture.desk, reset);
  expect((await fixture.waiting()).count).toBe(2);
});
