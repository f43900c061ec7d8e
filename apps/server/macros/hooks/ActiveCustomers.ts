import { defineHook } from "@sallyport/macros";

/** Whoever lists customers sees the active ones, but for administrators, and for those who ask for the others by name. */
export default defineHook({
  on: "xRestApi_FindObjects",
  classes: ["Customer"],
  byDefault: true,
  run(objectSet, { caller }) {
    const asksForIt = JSON.stringify(objectSet.where ?? {}).includes('"Active"');
    if (!caller.administrator && !asksForIt) objectSet.narrow({ Active: true });
    return true;
  },
});
