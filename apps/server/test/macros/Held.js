import { defineMacro } from "@sallyport/macros";

/** Like `Raise`, in little time. */
export default defineMacro({
  access: "everyone",
  timeout: 400,
  async run({ input, objects }) {
    const customer = await objects.get(input.id, { hold: true });
    return (await objects.update(customer, { CreditLimit: customer.CreditLimit + 1 })).CreditLimit;
  },
});
