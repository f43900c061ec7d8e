import { defineHook, refuse } from "@sallyport/macros";

/** Keeps invoices that are paid, whoever wants to delete them. */
export default defineHook({
  on: "beforeDelete",
  classes: ["Invoice"],
  run({ object }) {
    if (object.Paid) refuse(718, "An invoice that is paid stays.");
  },
});
