import { defineHook, refuse } from "@sallyport/macros";

/** Refuses to delete paid invoices, for every caller. */
export default defineHook({
  on: "beforeDelete",
  classes: ["Invoice"],
  run({ object }) {
    if (object.Paid) refuse(718, "An invoice that is paid stays.");
  },
});
