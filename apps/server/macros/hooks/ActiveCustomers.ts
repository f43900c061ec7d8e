import { defineHook } from "@sallyport/macros";

/** Lists active customers only, except for administrators and for queries that name `Active`. */
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
