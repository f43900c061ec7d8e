import { isUuid, objectNumber } from "@sallyport/storage";
import { type BrokenAdapter, broken } from "../broken-adapter.ts";

/** Faults in removing accounts. */
export const brokenAccountRemoval: readonly BrokenAdapter[] = [
  broken(
    "removes the last administrator",
    [
      "refuses to remove the last enabled administrator",
      "keeps one administrator when two concurrent calls remove each other's account",
    ],
    () => (r) => ({
      accounts: {
        remove: async (userIds) => {
          for (const account of await r.accounts.list("database", null, 100)) {
            if (account.administrator && userIds.includes(account.userId)) {
              await r.accounts.create(
                {
                  userId: `ZZ${objectNumber(account.userId)}`,
                  loginName: `stand-in ${account.userId}`,
                  secret: "",
                  administrator: true,
                },
                `stand-in ${account.userId}`,
              );
            }
          }
          return r.accounts.remove(userIds);
        },
      },
    }),
  ),
  broken(
    "removes one account only",
    "removes accounts with their names and sessions, and no other accounts",
    () => (r) => ({
      accounts: { remove: (userIds) => r.accounts.remove(userIds.slice(0, 1)) },
    }),
  ),
  broken(
    "keeps records of removed custom accounts",
    "removes a custom account with its records and keeps the data of its user",
    () => (r) => ({
      accounts: {
        remove: async (ids) => {
          const records = await r.records.list("unheardOf", { after: null, limit: 1_000 });
          const outcome = await r.accounts.remove(ids);
          for (const { id, owner, value } of records)
            if (ids.some((each) => isUuid(each) && owner === `custom:${each}`))
              await r.records.put("unheardOf", id, value, { owner });
          return outcome;
        },
      },
    }),
  ),
  broken(
    "applies the changes of an account one by one",
    "applies all changes of one call together or none of them",
    () => (r) => ({
      accounts: {
        change: async (id, { name, ...rest }) => {
          const found = await r.accounts.change(id, rest);
          return name === undefined ? found : r.accounts.change(id, { name });
        },
      },
    }),
  ),
  broken("counts disabled administrators", "refuses to remove the last enabled administrator", () => (r) => ({
    accounts: {
      remove: async (userIds) => {
        const others = (await r.accounts.list("database", null, 100)).filter(
          ({ administrator, userId }) => administrator && !userIds.includes(userId),
        );
        if (others.length === 0) return "lastAdministrator";
        for (const { userId } of others) await r.accounts.change(userId, { disabled: false });
        return r.accounts.remove(userIds);
      },
    },
  })),
  broken(
    "removes records of known kinds only",
    [
      "removes everything that belongs to the user with the account, and nothing else",
      "removes records of every kind that the user owns with the account, and no others",
    ],
    () => (r) => ({
      accounts: {
        remove: async (userIds) => {
          const unheardOf = await r.records.list("unheardOf", { after: null, limit: 1_000 });
          const outcome = await r.accounts.remove(userIds);
          for (const { id, owner, value } of unheardOf) await r.records.put("unheardOf", id, value, { owner });
          return outcome;
        },
      },
    }),
  ),
  broken(
    "removes records of owners with the same suffix",
    "removes records of every kind that the user owns with the account, and no others",
    () => (r) => ({
      accounts: {
        remove: async (userIds) => {
          const outcome = await r.accounts.remove(userIds);
          for (const id of userIds) await r.records.remove("mail", { owner: `network:${id}` });
          return outcome;
        },
      },
    }),
  ),
  broken(
    "keeps records of links and custom accounts",
    [
      "removes everything that belongs to the user with the account, and nothing else",
      "removes records of every kind that the user owns with the account, and no others",
    ],
    () => (r) => ({
      accounts: {
        remove: async (userIds) => {
          const kinds = ["passwordReset", "unheardOf", "mail"];
          const before = await Promise.all(kinds.map((kind) => r.records.list(kind, { after: null, limit: 1_000 })));
          const outcome = await r.accounts.remove(userIds);
          for (const [index, kind] of kinds.entries())
            for (const { id, owner, value } of before[index] ?? [])
              if (owner !== null && /^(?:link|custom):/.test(owner)) await r.records.put(kind, id, value, { owner });
          return outcome;
        },
      },
    }),
  ),
];
