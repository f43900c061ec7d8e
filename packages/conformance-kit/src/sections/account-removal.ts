import type { Account, IdentityLinkRecord, ObjectId, Repositories, Storage } from "@sallyport/storage";
import { equal, equalToOneOf } from "../assert/index.ts";
import { type Check, checksOf } from "../check.ts";
import { pluck } from "../fixtures/lists.ts";
import { accountNamed, accountOf, createCustomAccount, createUser, createUserObject } from "../fixtures/accounts.ts";
import { idsOf } from "../fixtures/objects.ts";
import { createLink, findLink } from "../fixtures/new-link.ts";
import { minute } from "../fixtures/policy.ts";
import type { Subject } from "../subject.ts";
import { Visitor } from "../fixtures/visitor.ts";
import { whileOpen } from "../fixtures/concurrently.ts";

const administrator = { administrator: true };

/** Record kinds. Storage attaches no meaning to them. */
const recordKinds = ["passwordReset", "accountLink", "unheardOf"] as const;

/** Two links, two custom accounts, and the owners of records: the user, one of the links and one of the accounts. */
interface OwnedData {
  readonly links: readonly [IdentityLinkRecord, IdentityLinkRecord];
  readonly customs: readonly [Account, Account];
  readonly subjects: readonly string[];
}

async function ownedDataOf(r: Repositories, userId: ObjectId): Promise<OwnedData> {
  const shared = { provider: "apple", shared: true } as const;
  const links = [await createLink(r, { userId }), await createLink(r, { userId, ...shared })] as const;
  const customs = [await createCustomAccount(r, { userId }), await createCustomAccount(r, { userId })] as const;
  const subjects = [`user:${userId}`, `link:${links[1].value.id}`, `custom:${customs[0].id}`];
  for (const subject of subjects) {
    for (const kind of recordKinds) await r.records.put(kind, `of ${subject}`, 1, { owner: subject, lifetime: minute });
  }
  return { links, customs, subjects };
}

/** The fraction left: of links and custom accounts together, then of the records of each owner. */
async function leftOf(r: Repositories, { links, customs, subjects }: OwnedData): Promise<number[]> {
  const linked = await Promise.all(links.map(({ value }) => findLink(r, value)));
  const mapped = await Promise.all(customs.map(({ id }) => accountOf(r, id)));
  const records = subjects.map(async (owner) => {
    const ofKinds = recordKinds.map((kind) => r.records.list(kind, { owner, after: null, limit: 10 }));
    return (await Promise.all(ofKinds)).flat().length / recordKinds.length;
  });
  return [[...linked, ...mapped].filter((each) => each !== null).length / 4, ...(await Promise.all(records))];
}

/** The users with database accounts, in order of log-in name. */
async function listedUsers(r: Repositories): Promise<string[]> {
  return pluck(await r.accounts.list("database", null, 10), "userId");
}

/** Two administrators remove each other. The second removal starts during the first. */
async function removeOneAnother({ storage, canOvertake }: Subject, other: Storage): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    const r = storage.repositories;
    const [first, second] = [await createUser(r, administrator), await createUser(r, administrator)];
    const outcome = await whileOpen(
      storage,
      (inside) => inside.accounts.remove([first.userId]),
      () => other.repositories.accounts.remove([second.userId]),
    );
    equalToOneOf(outcome, ["lastAdministrator", ...(canOvertake ? [1] : [])], "the outcome of the second removal");
    const remaining = outcome === 1 ? first : second;
    const left = (await r.accounts.list("database", null, 10)).filter(({ disabled }) => !disabled);
    equal(pluck(left, "userId"), [remaining.userId], "the remaining users");
    await r.accounts.change(remaining.userId, { disabled: true });
  }
}

export const accountRemovalChecks: readonly Check[] = [
  ...checksOf("accounts", {
    "removes accounts with their names and sessions, and no other accounts": async ({ r }) => {
      const visitors = [await Visitor.create(r), await Visitor.create(r), await Visitor.create(r)] as const;
      const [first, second, third] = visitors;
      const sessions = [await first.open(r), await second.open(r), await third.open(r)];
      const bystander = await createUserObject(r);
      const ids = [first.account.userId, bystander, "ZZZZZZZZZZ", "", third.account.userId];
      equal(await r.accounts.remove(ids), 2, "number of removed accounts");
      for (const [index, visitor] of visitors.entries()) {
        const kept = visitor === second;
        equal(await accountNamed(r, visitor.account.loginName), kept ? visitor.account : null, "the account");
        equal(await visitor.isAdmitted(r, sessions[index] ?? ""), kept, "whether its session is admitted");
      }
      equal(await listedUsers(r), [second.account.userId], "the listed users");
      const again = await r.accounts.create(first.account, `like ${first.account.loginName}`);
      equal(again, "created", "the outcome of creating the account again");
      equal(await r.accounts.remove([]), 0, "the outcome of removing a user without an account");
    },

    "removes everything that belongs to the user with the account, and nothing else": async ({ r }) => {
      const users = [await createUser(r), await createUser(r), await createUser(r)];
      const ownedData = await Promise.all(users.map(({ userId }) => ownedDataOf(r, userId)));
      const stranger = await createUserObject(r);
      const ofStranger = await ownedDataOf(r, stranger);
      const [first, second, third] = pluck(users, "userId") as [string, string, string];
      equal(await r.accounts.remove([first, third, stranger, "", "ZZZZZZZZZZ"]), 2, "number of removed accounts");
      const left = await Promise.all([...ownedData, ofStranger].map((each) => leftOf(r, each)));
      const [none, all] = [Array<number>(4).fill(0), Array<number>(4).fill(1)];
      equal(left, [none, all, none, none], "the remaining data of each user");
      equal((await r.accounts.find({ id: second }, [])).account?.userId, second, "the account that is not removed");
    },

    "removes records of every kind that the user owns with the account, and no others": async ({ r }) => {
      const [first, second] = [await createUser(r), await createUser(r)];
      const link = await createLink(r, { userId: first.userId });
      const custom = await createCustomAccount(r, { userId: first.userId });
      const removedOwners = [`user:${first.userId}`, `link:${link.value.id}`, `custom:${custom.id}`];
      const ofUser = ["USER:", "users:", "", "link:", "network:"].map((prefix) => `${prefix}${first.userId}`);
      const ofOthers = [null, `user:${second.userId}`, `custom:${link.value.id}`, `link:${custom.id}`];
      const others = [...ofUser, `user:${first.userId} `, ...ofOthers];
      for (const kind of ["unheardOf", "mail"]) {
        for (const owner of [...removedOwners, ...others]) {
          await r.records.put(kind, `one of ${owner}`, 1, { owner });
          await r.records.put(kind, `two of ${owner}`, 1, { owner, lifetime: minute });
        }
        await r.records.claim(kind, 3, minute);
      }
      equal(await r.accounts.remove([first.userId]), 1, "number of removed accounts");
      const left = others.flatMap((owner) => [`one of ${owner}`, `two of ${owner}`]).toSorted();
      for (const kind of ["unheardOf", "mail"])
        equal(
          idsOf(await r.records.list(kind, { after: null, limit: 100 })),
          left,
          `the remaining records of kind ${kind}`,
        );
    },

    "removes the records of links only, not those of other records that resemble them": async ({ r }) => {
      const { userId } = await createUser(r);
      await r.records.put("unheardOf", "one", { id: "resembling" }, { owner: `user:${userId}` });
      await r.records.put("unheardOf", "two", 1, { owner: "link:resembling" });
      equal(await r.accounts.remove([userId]), 1, "number of removed accounts");
      equal(idsOf(await r.records.list("unheardOf", { after: null, limit: 10 })), ["two"], "the remaining records");
    },

    "removes a custom account with its records and keeps the data of its user": async ({ r }) => {
      const { userId } = await createUser(r);
      const ownedData = await ownedDataOf(r, userId);
      const [custom, other] = ownedData.customs;
      const owners = [`user:${userId}`, `custom:${custom.id}`, `custom:${other.id}`];
      for (const owner of owners) await r.records.put("unheardOf", `one of ${owner}`, 1, { owner });
      equal(await r.accounts.remove([custom.id, ownedData.links[0].value.id]), 1, "number of removed accounts");
      equal([await accountOf(r, custom.id), await accountOf(r, other.id)], [null, other], "the custom accounts");
      equal((await accountOf(r, userId))?.id, userId, "the account of the user");
      for (const link of ownedData.links) equal(await findLink(r, link.value), link, "a link of the user");
      for (const [index, owner] of owners.entries()) {
        const left = await r.records.list("unheardOf", { owner, after: null, limit: 10 });
        equal(left.length > 0, index !== 1, `whether "${owner}" still has records`);
      }
      equal(
        await r.accounts.remove([other.id, userId]),
        2,
        "the outcome of removing another custom account with its user",
      );
    },

    "keeps all data of the last administrator when it refuses the removal": async ({ r }) => {
      const { userId } = await createUser(r, administrator);
      const ownedData = await ownedDataOf(r, userId);
      equal(await r.accounts.remove([userId]), "lastAdministrator", "the outcome");
      equal(await leftOf(r, ownedData), Array<number>(4).fill(1), "the remaining data");
    },

    "refuses to remove the last enabled administrator": async ({ r }) => {
      const [active, disabled] = [await createUser(r, administrator), await createUser(r, administrator)];
      const user = await createUser(r);
      await r.accounts.change(disabled.userId, { disabled: true });
      const outcome = await r.accounts.remove([user.userId, active.userId]);
      equal(outcome, "lastAdministrator", "the outcome of removing the last administrator together with another user");
      equal((await listedUsers(r)).length, 3, "number of remaining accounts");
      equal(await r.accounts.remove([disabled.userId, user.userId]), 2, "the outcome of removing the others");
      const next = await createUser(r, administrator);
      equal(
        await r.accounts.remove([active.userId, next.userId]),
        "lastAdministrator",
        "the outcome of removing both administrators",
      );
      equal(await r.accounts.remove([active.userId]), 1, "the outcome of removing one of two administrators");
    },

    "removes accounts from a database without an administrator": async ({ r }) => {
      const [user, disabled] = [await createUser(r), await createUser(r, administrator)];
      await r.accounts.change(disabled.userId, { disabled: true });
      equal(await r.accounts.remove([user.userId, disabled.userId]), 2, "the outcome of the removal");
      equal(await listedUsers(r), [], "the remaining users");
    },

    "keeps one administrator when two concurrent calls remove each other's account": (subject) =>
      removeOneAnother(subject, subject.storage),
  }),
  ...checksOf(
    "accounts",
    {
      "keeps one administrator when two processes remove each other's account": async (subject) =>
        removeOneAnother(subject, await subject.another()),
    },
    { needs: "severalProcesses" },
  ),
];
