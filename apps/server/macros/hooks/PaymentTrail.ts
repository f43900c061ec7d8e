import { defineHook } from "@sallyport/macros";

/** Writes down who marked which invoice as paid, or as not paid after all. */
export default defineHook({
  on: "afterSave",
  classes: ["Invoice"],
  run({ object, previous }, { caller, log }) {
    if (previous !== null && object.Paid !== previous.Paid)
      log(`${object.Number} ${object.Paid ? "paid" : "open again"}, says ${caller.name}`);
  },
});
