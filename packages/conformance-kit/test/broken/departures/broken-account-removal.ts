import { objectNumber } from "@sallyport/core";
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
          for (const account of await r.accounts.list(null, 100)) {
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
  broken("counts disabled administrators", "does not remove the last administrator who is not disabled", () => (r) => ({
    accounts: {
      remove: async (userIds) => {
        const others = (await r.accounts.list(null, 100)).filter(
          ({ administrator, userId }) => administrator && !userIds.includes(userId),
        );
        if (others.length === 0) return "lastAdministrator";
        for (const { userId } of others) await r.accounts.setDisabled(userId, false);
        return r.accounts.remove(userIds);
      },
    },
  })),
];
