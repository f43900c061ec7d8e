import { defineHook } from "@sallyport/macros";

/** Tells clients of each invoice what they would otherwise all work out by themselves. */
export default defineHook({
  on: "xRestApi_BuildSerialization",
  classes: ["Invoice"],
  run(invoice, json) {
    const today = new Date().toISOString().slice(0, 10);
    json.State = invoice.Paid ? "paid" : invoice.Due < today ? "overdue" : "open";
  },
});
