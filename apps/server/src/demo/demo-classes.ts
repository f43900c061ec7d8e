import type { ClassDefinition, ClassRight } from "@sallyport/core";

/** The business classes of the demo, with these rights on both. */
export function demoClasses(rights: readonly ClassRight[]): ClassDefinition[] {
  return [
    {
      name: "Customer",
      base: null,
      attributes: [
        { name: "Name", type: "string", mandatory: true },
        { name: "City", type: "string" },
        { name: "Country", type: "string" },
        { name: "Email", type: "string" },
        { name: "Since", type: "date" },
        { name: "CreditLimit", type: "number" },
        { name: "Active", type: "boolean" },
      ],
      rights,
    },
    {
      name: "Invoice",
      base: null,
      attributes: [
        { name: "Number", type: "string" },
        { name: "Date", type: "date" },
        { name: "Due", type: "date" },
        { name: "Amount", type: "number" },
        { name: "Paid", type: "boolean" },
        { name: "Customer", type: "reference", target: "Customer" },
      ],
      rights,
    },
  ];
}
