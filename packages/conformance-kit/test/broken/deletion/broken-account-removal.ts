import { isUuid, objectNumber } from "@sallyport/core";
import { type BrokenAdapter, broken } from "../broken-adapter.ts";

/** Faults in how accounts go. */
export const brokenAccountRemoval: readonly BrokenAdapter[] = [
  broken(
    "removes the last administrator",
    [
      "does not remove the last administrator who is not disabled",
      "leaves an administrator when two remove one another at once",
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
  broken("removes one account alone", "removes accounts, with their names and sessions, and no others", () => (r) => ({
    accounts: { remove: (userIds) => r.accounts.remove(userIds.slice(0, 1)) },
  })),
  broken(
    "removes custom accounts, but not their records",
    "removes a custom account with its records, and nothing of its user",
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
    "changes one thing after the other",
    "are changed in all that is given together, or in nothing of it",
    () => (r) => ({
      accounts: {
        change: async (id, { name, ...rest }) => {
          const found = await r.accounts.change(id, rest);
          return name === undefined ? found : r.accounts.change(id, { name });
        },
      },
    }),
  ),
  broken("counts disabled administrators", "does not remove the last administrator who is not disabled", () => (r) => ({
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
    "removes records of the kinds that it knows",
    [
      "removes with an account what belongs to its user, and nothing else",
      "removes with an account the records of its user, of every kind, and no others",
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
    "removes records of owners whose names end as the user's",
    "removes with an account the records of its user, of every kind, and no others",
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
    "leaves the records of links and custom accounts",
    [
      "removes with an account what belongs to its user, and nothing else",
      "removes with an account the records of its user, of every kind, and no others",
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
