import { defineMacro } from "@sallyport/macros";

interface Input {
  /** `yyyy-MM-dd`; today unless given. */
  readonly on?: string;
  /** How many of them are listed. */
  readonly most?: number;
}

const day = 24 * 60 * 60 * 1000;

/** Counts and sums up the overdue invoices of a day, and lists the oldest ones. */
export default defineMacro<Input>({
  access: { groups: ["Sales", "Readers"] },
  input: {
    type: "object",
    properties: {
      on: { type: "string", pattern: "^\\d{4}-\\d{2}-\\d{2}$" },
      most: { type: "integer", minimum: 0, maximum: 100 },
    },
    additionalProperties: false,
  },
  async run({ input: { on: asked, most = 5 }, objects, now }) {
    const on = asked ?? new Date(await now()).toISOString().slice(0, 10);
    const query = {
      where: { Paid: false, Due: { $lt: on } },
      sort: ["Due", "Number"],
      perPage: 500,
      serialization: { type: "custom", fields: ["Number", "Due", "Amount", "Customer.Name"] },
    };
    let page = await objects.find("Invoice", query);
    const invoices = [...page["~Elements"]];
    while (page["~Cursor"] !== undefined) {
      page = await objects.find("Invoice", { ...query, cursor: page["~Cursor"] });
      invoices.push(...page["~Elements"]);
    }

    const cents = invoices.reduce((sum, { Amount }) => sum + Math.round(Amount * 100), 0);
    const customers = new Set(invoices.map(({ Customer }) => Customer?.["~ObjectID"]));
    const oldest = invoices.slice(0, most).map(({ Number: number, Due, Amount: amount, Customer }) => {
      return { number, customer: Customer?.Name ?? null, amount, days: (Date.parse(on) - Date.parse(Due)) / day };
    });
    return { on, invoices: invoices.length, customers: customers.size, total: cents / 100, oldest };
  },
});
