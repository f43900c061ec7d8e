import { defineMacro } from "@sallyport/macros";

export default defineMacro({
  access: "everyone",
  async run({ input, objects }) {
    const found = [];
    for (const id of input) found.push(await objects.get(id));
    return found;
  },
});
