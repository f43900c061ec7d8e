import { Applications } from "@sallyport/core";
import { equal, equalInAnyOrder } from "../assert/index.ts";
import { type Check, checksOf } from "../check.ts";
import { whileOpen } from "../fixtures/at-once.ts";

/** Enough for the slowest commit of another one. */
const turns = 20_000;

export const parallelTransactionChecks: readonly Check[] = checksOf(
  "transactions",
  {
    "come to their end while another one that writes something else is open": async ({ storage, r }) => {
      const seen = await whileOpen(
        storage,
        (inside) => new Applications(inside.records).create({ name: "open", seats: null }),
        async () => {
          await storage.transaction((inside) =>
            new Applications(inside.records).create({ name: "ended", seats: null }),
          );
          return new Applications(r.records).known(["open", "ended"]);
        },
        { turns },
      );
      equal(seen, ["ended"], "what is seen while the first one is open");
      equalInAnyOrder(
        await new Applications(r.records).known(["open", "ended"]),
        ["open", "ended"],
        "what is seen in the end",
      );
    },
  },
  { needs: "parallelTransactions" },
);
