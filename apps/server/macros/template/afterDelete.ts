import { defineHook } from "@sallyport/macros";

/** Sees every object after it was deleted, in the same transaction. */
export default defineHook({
  on: "afterDelete",
  classes: ["Invoice"],
  run({ object }, { caller, log }) {
    log("deleted", object["~ObjectID"], "by", caller.name);
  },
});
