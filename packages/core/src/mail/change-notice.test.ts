import { ServiceError } from "../errors/index.ts";
import type { RequestContext } from "../request/index.ts";
import type { Account } from "../storage/index.ts";
import type { MailOrder } from "./mail.ts";
import { ChangeNotice } from "./order-mail.ts";

const context = { database: { alias: "second" }, r: {} } as RequestContext;
const account = { loginName: "Ada", email: "ada@mail.example" } as Account;
const changed = { kind: "passwordChanged" } as const;

/** Orders that come in, or are refused. */
function desk(configured: boolean, refusal?: ServiceError) {
  const orders: [string, MailOrder][] = [];
  const run = async ({ alias }: { readonly alias: string }, order: MailOrder) => {
    orders.push([alias, order]);
    if (refusal !== undefined) throw refusal;
  };
  return { orders, notice: new ChangeNotice({ configured, run }, "de") };
}

test("is written in the language that was asked for, else in the one that is configured", async () => {
  const { orders, notice } = desk(true);
  await notice.send(context, account, changed, "en");
  await notice.send(context, account, changed, null);
  expect(orders).toEqual(
    ["en", "de"].map((language) => [
      "second",
      { kind: "passwordChanged", to: "ada@mail.example", name: "Ada", language },
    ]),
  );
});

test("is not written without an address, or without mail", async () => {
  const [without, off] = [desk(true), desk(false)];
  await without.notice.send(context, { ...account, email: null }, changed, null);
  await off.notice.send(context, account, changed, null);
  expect([without.orders, off.orders]).toEqual([[], []]);
});

test.each([706, 712, 704] as const)("never fails: %i", async (code) => {
  const { orders, notice } = desk(true, new ServiceError(code));
  await notice.send(context, account, changed, null);
  expect(orders).toHaveLength(1);
});
