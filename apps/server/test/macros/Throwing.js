import { defineMacro } from "@sallyport/macros";

export default defineMacro({
  access: "everyone",
  async run({ input, objects }) {
    if (input?.create) await objects.create("Customer", { Name: input.create });
    throw new Error("thrown by the macro");
  },
});
