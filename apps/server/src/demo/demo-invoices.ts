import type { Attributes, ObjectId } from "@sallyport/core";
import { dayAfter } from "./calendar-day.ts";
import type { SeededRandom } from "./seeded-random.ts";

const invoiceCount = 1_000;
const firstDay = "2025-01-02";
const days = 540;
/** Invoices that fell due before this day are paid as a rule, later ones as an exception. */
const balanceDay = "2026-05-15";

/** Invoices to these customers, by ascending date and number. */
export function demoInvoices(random: SeededRandom, customers: readonly ObjectId[]): Attributes[] {
  return Array.from({ length: invoiceCount }, (_, index) => {
    const date = dayAfter(firstDay, Math.floor((index * days) / invoiceCount));
    const due = dayAfter(date, random.pick([14, 30, 30, 60]));
    return {
      Number: `${date.slice(0, 4)}-${String(index + 1).padStart(5, "0")}`,
      Date: date,
      Due: due,
      Amount: random.whole(4_500, 1_250_000) / 100,
      Paid: random.next() < (due < balanceDay ? 0.96 : 0.2),
      Customer: random.pick(customers),
    };
  });
}
