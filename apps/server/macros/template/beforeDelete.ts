import { defineHook, refuse } from "@sallyport/macros";

/** Sees every object before it is deleted, and may keep it. */
export default defineHook({
  on: "beforeDelete",
  classes: ["Invoice"],
  run({ object }, { caller }) {
    if (!caller.administrator && object.Locked === true) refuse(718, "It is marked as not to be deleted.");
  },
});
