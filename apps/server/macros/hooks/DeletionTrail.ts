import { defineHook } from "@sallyport/macros";

/** Writes down who deleted which customer or invoice. */
export default defineHook({
  on: "afterDelete",
  classes: ["Customer", "Invoice"],
  run({ object }, { caller, log }) {
    log(`${object["~ClassName"]} ${object.Number ?? object.Name} deleted by ${caller.name}`);
  },
});
