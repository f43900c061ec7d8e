import { defineMacro, refuse, versionOf } from "@sallyport/macros";

interface Input {
  /** Id or UUID. */
  readonly invoice: string;
  /** Id or UUID of who owes it from now on. */
  readonly customer: string;
}

/** Gives an invoice to another customer, if that one has the credit for it. All of it happens, or nothing does. */
export default defineMacro<Input>({
  access: { groups: ["Sales"], apps: ["demo-app"] },
  input: {
    type: "object",
    properties: { invoice: { type: "string" }, customer: { type: "string" } },
    required: ["invoice", "customer"],
    additionalProperties: false,
  },
  /** Refuses paid invoices, unless an administrator skips the check. */
  check: async ({ input, objects }) => (await objects.get(input.invoice)).Paid !== true,
  async run({ input, objects, log, setStatusMessage }) {
    // Locked until the end: no one pays the invoice or lowers the limit between the read and the write.
    const invoice = await objects.get(input.invoice, { forUpdate: true });
    const customer = await objects.get(input.customer, { forUpdate: true });
    if (invoice["~ClassName"] !== "Invoice" || customer["~ClassName"] !== "Customer")
      refuse(307, "An invoice and a customer are wanted.");
    const from = invoice.Customer;
    if (from?.["~ObjectID"] === customer["~ObjectID"]) refuse(307, "The invoice is this customer's already.");
    if (customer.Active !== true) refuse(307, "The customer is not active.");

    const open = await objects.find("Invoice", {
      where: { Customer: customer["~ObjectID"], Paid: false },
      perPage: 1_000,
      serialization: { type: "custom", fields: ["Amount"] },
    });
    const owed = open["~Elements"].reduce((sum, { Amount }) => sum + Amount, invoice.Amount);
    if (owed > customer.CreditLimit)
      refuse(307, `The customer would owe ${owed.toFixed(2)} of ${customer.CreditLimit} at most.`);

    await objects.update(invoice, { Customer: customer["~ObjectID"] }, { version: versionOf(invoice) });
    log("transferred", { invoice: invoice.Number, from: from?.Name ?? null, to: customer.Name });
    setStatusMessage(`${customer.Name} owes ${invoice.Number} now`);
    return { number: invoice.Number, from: from?.Name ?? null, to: customer.Name, owed: Math.round(owed * 100) / 100 };
  },
});
