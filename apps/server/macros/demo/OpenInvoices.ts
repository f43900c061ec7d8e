import { defineHook } from "@sallyport/macros";

/** Invoices that are not paid, those that are due first before the others: query={"macro":"OpenInvoices"}. */
export default defineHook({
  on: "xRestApi_FindObjects",
  classes: ["Invoice"],
  run(objectSet) {
    objectSet.narrow({ Paid: false });
    if (objectSet.sort === undefined) objectSet.order(["Due", "Number"]);
    return true;
  },
});
