import { defineHook } from "@sallyport/macros";

/** Clients name it in a query: {"macro": "…"}. With byDefault it narrows every list of its classes. */
export default defineHook({
  on: "xRestApi_FindObjects",
  classes: ["Invoice"],
  byDefault: false,
  // Anything but true refuses the list with 307.
  run(objectSet) {
    objectSet.narrow({ "~ObjectID": { $ne: null } });
    objectSet.order(["-~StoreTime"]);
    return true;
  },
});
