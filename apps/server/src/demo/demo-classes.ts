import type { ClassDefinition, ClassRight } from "@sallyport/core";

/** The business classes of the demo, with these rights on both, and indexes of what people look for and sort by. */
export function demoClasses(rights: readonly ClassRight[]): ClassDefinition[] {
  return [
    {
      name: "Customer",
      base: null,
      attributes: [
        { name: "Name", type: "string", mandatory: true, indexed: true },
        { name: "City", type: "string" },
        { name: "Country", type: "string", indexed: true },
        { name: "Email", type: "string", indexed: true },
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
        { name: "Number", type: "string", indexed: true },
        { name: "Date", type: "date", indexed: true },
        { name: "Due", type: "date" },
        { name: "Amount", type: "number" },
        { name: "Paid", type: "boolean" },
        { name: "Customer", type: "reference", target: "Customer", indexed: true },
      ],
      rights,
    },
  ];
}
