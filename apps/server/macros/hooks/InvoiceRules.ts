import { defineHook, refuse } from "@sallyport/macros";

const day = 24 * 60 * 60 * 1000;

/** The rules for every invoice, for all writers and routes. */
export default defineHook({
  on: "beforeSave",
  classes: ["Invoice"],
  run({ object }) {
    if (object.Amount < 0) refuse(307, "The amount of an invoice is not negative.");
    if (object.Date != null && object.Due == null)
      object.Due = new Date(Date.parse(object.Date) + 30 * day).toISOString().slice(0, 10);
    if (object.Due < object.Date) refuse(307, "An invoice is not due before its date.");
  },
});
