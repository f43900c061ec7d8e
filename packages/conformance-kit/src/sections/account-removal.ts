import type { Storage } from "@sallyport/core";
import { equal } from "../assert/index.ts";
import { type Check, checksOf } from "../check.ts";
import { accountNamed } from "../fixtures/account-named.ts";
import { createUser, createUserObject } from "../fixtures/create-user.ts";
import { Visitor } from "../fixtures/visitor.ts";
import { whileOpen } from "../fixtures/while-open.ts";

const administrator = { administrator: true };

/** Two administrators who remove one another, the second while the first is not done yet. */
async function removeOneAnother(storage: Storage, other: Storage): Promise<void> {
  const { accounts } = storage.repositories;
  for (let round = 0; round < 3; round += 1) {
    const [first, second] = [await createUser(storage.repositories, administrator), await createUser(storage.repositories, administrator)];
    const outcome = await whileOpen(
      storage,
      (r) => r.accounts.remove([first.userId]),
      () => other.repositories.accounts.remove([second.userId]),
    );
    equal(outcome, "lastAdministrator", "the outcome for the one who came second");
    equal((await accounts.list(null, 10)).filter(({ disabled }) => !disabled).map(({ userId }) => userId), [second.userId], "who is left");
    await accounts.setDisabled(second.userId, true);
  }
}

export const accountRemovalChecks: readonly Check[] = [
  ...checksOf("accounts", {
    "removes accounts, with their names and sessions, and no others": async ({ r }) => {
      const visitors = [await Visitor.create(r), await Visitor.create(r), await Visitor.create(r)];
      const [first, second, third] = visitors as [Visitor, Visitor, Visitor];
      const sessions = [await first.open(r), await second.open(r), await third.open(r)] as const;
      const bystander = await createUserObject(r);
      equal(await r.accounts.remove([first.account.userId, bystander, "ZZZZZZZZZZ", "", third.account.userId]), "removed", "the outcome");
      for (const [index, kept] of [false, true, false].entries()) {
        const visitor = visitors[index] as Visitor;
        equal(await accountNamed(r, visitor.account.loginName), kept ? visitor.account : null, "the account");
        equal(await visitor.isAdmitted(r, sessions[index] as string), kept, "whether its session is admitted");
      }
      equal((await r.accounts.list(null, 10)).map(({ userId }) => userId), [second.account.userId], "the users in the list");
      const { loginName } = first.account;
      equal(await r.accounts.create({ ...first.account, loginName }, `like ${loginName}`), "created", "creating the account again");
      equal(await r.accounts.remove([]), "removed", "removing nobody's");
    },

    "does not remove the last administrator who is not disabled": async ({ r }) => {
      const [active, disabled, user] = [await createUser(r, administrator), await createUser(r, administrator), await createUser(r)];
      await r.accounts.setDisabled(disabled.userId, true);
      equal(await r.accounts.remove([user.userId, active.userId]), "lastAdministrator", "removing the last one with another user");
      equal((await r.accounts.list(null, 10)).length, 3, "how many accounts are left");
      equal(await r.accounts.remove([disabled.userId, user.userId]), "removed", "removing the others");
      const next = await createUser(r, administrator);
      equal(await r.accounts.remove([active.userId, next.userId]), "lastAdministrator", "removing both");
      equal(await r.accounts.remove([active.userId]), "removed", "removing one of two");
    },

    "removes the accounts of a database that has no administrator": async ({ r }) => {
      const [user, disabled] = [await createUser(r), await createUser(r, administrator)];
      await r.accounts.setDisabled(disabled.userId, true);
      equal(await r.accounts.remove([user.userId, disabled.userId]), "removed", "removing them");
      equal(await r.accounts.list(null, 10), [], "who is left");
    },

    "leaves an administrator when two remove one another at once": ({ storage }) => removeOneAnother(storage, storage),
  }),
  ...checksOf(
    "accounts",
    { "leaves an administrator when two processes remove one another's at once": async ({ storage, another }) => removeOneAnother(storage, await another()) },
    { needs: "severalProcesses" },
  ),
];
