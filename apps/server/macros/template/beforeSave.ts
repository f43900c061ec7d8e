import { defineHook, refuse } from "@sallyport/macros";

/** Sees every object before it is written, may change it, or keep it from being written. */
export default defineHook({
  on: "beforeSave",
  classes: ["Invoice"],
  // previous is the object as it was, null for a new one; given is what the client sent.
  run({ object, previous, given }) {
    for (const name of Object.keys(given)) {
      if (typeof object[name] === "string") object[name] = object[name].trim();
    }
    if (previous === null && Object.keys(given).length === 0)
      refuse(307, "An object without a single attribute is no use.");
  },
});
