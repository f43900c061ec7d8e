import { defineHook } from "@sallyport/macros";

/** Sees every object after it was written, in the same transaction: what fails here undoes the write. */
export default defineHook({
  on: "afterSave",
  classes: ["Invoice"],
  run({ object, previous }, { caller, log }) {
    log(previous === null ? "created" : "changed", object["~ObjectID"], "by", caller.name);
  },
});
