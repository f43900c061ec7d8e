import { defineMacro } from "@sallyport/macros";

/** Reads a number, and writes it incremented. */
export default defineMacro({
  access: "everyone",
  async run({ input, objects }) {
    const customer = await objects.get(input.id, { forUpdate: true });
    const raised = await objects.update(customer, { CreditLimit: customer.CreditLimit + 1 });
    return raised.CreditLimit;
  },
});
