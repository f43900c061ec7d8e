import { equal, equalInAnyOrder } from "../assert/index.ts";
import { type Check, checksOf } from "../check.ts";
import { whileOpen } from "../fixtures/while-open.ts";

/** Enough for the slowest commit of another one. */
const turns = 20_000;

export const parallelTransactionChecks: readonly Check[] = checksOf(
  "transactions",
  {
    "come to their end while another one that writes something else is open": async ({ storage, r }) => {
      const seen = await whileOpen(
        storage,
        (inside) => inside.applications.create({ name: "open", seats: null }),
        async () => {
          await storage.transaction((inside) => inside.applications.create({ name: "ended", seats: null }));
          return r.applications.known(["open", "ended"]);
        },
        { turns },
      );
      equal(seen, ["ended"], "what is seen while the first one is open");
      equalInAnyOrder(await r.applications.known(["open", "ended"]), ["open", "ended"], "what is seen in the end");
    },
  },
  { needs: "parallelTransactions" },
);
