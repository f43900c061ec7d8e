import { defineMacro } from "@sallyport/macros";

/** Like `Raise`, with a short time limit. */
export default defineMacro({
  access: "everyone",
  timeout: 400,
  async run({ input, objects }) {
    const customer = await objects.get(input.id, { forUpdate: true });
    return (await objects.update(customer, { CreditLimit: customer.CreditLimit + 1 })).CreditLimit;
  },
});
