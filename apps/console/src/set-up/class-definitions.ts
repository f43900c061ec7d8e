import type { ClassDefinition, SallyportClient } from "@sallyport/client";

/** A class of a template, or of a model file. */
export type NamedClass = ClassDefinition & { readonly name: string };

type Attributes = NonNullable<ClassDefinition["attributes"]>;

/** Classes to begin with, by the name of the template. */
export const templates = {
  tasks: [
    {
      name: "Project",
      attributes: [
        { name: "Name", type: "string", mandatory: true, indexed: true },
        { name: "Description", type: "string" },
      ],
    },
    {
      name: "Task",
      attributes: [
        { name: "Name", type: "string", mandatory: true, indexed: true },
        { name: "Done", type: "boolean" },
        { name: "Due", type: "date", indexed: true },
        { name: "Project", type: "reference", target: "Project", indexed: true },
        { name: "Assignee", type: "reference", target: "User", indexed: true },
      ],
    },
  ],
  contacts: [
    {
      name: "Company",
      attributes: [
        { name: "Name", type: "string", mandatory: true, indexed: true },
        { name: "Website", type: "string" },
        { name: "City", type: "string" },
      ],
    },
    {
      name: "Contact",
      attributes: [
        { name: "Name", type: "string", mandatory: true, indexed: true },
        { name: "Email", type: "string", indexed: true },
        { name: "Phone", type: "string" },
        { name: "Photo", type: "file" },
        { name: "Company", type: "reference", target: "Company", indexed: true },
      ],
    },
  ],
  orders: [
    {
      name: "Product",
      attributes: [
        { name: "Name", type: "string", mandatory: true, indexed: true },
        { name: "Price", type: "number" },
        { name: "Image", type: "file" },
      ],
    },
    {
      name: "Order",
      attributes: [
        { name: "Number", type: "string", mandatory: true, indexed: true },
        { name: "Ordered", type: "date", indexed: true },
        { name: "Paid", type: "boolean" },
      ],
    },
    {
      name: "OrderItem",
      attributes: [
        { name: "Order", type: "reference", target: "Order", mandatory: true, indexed: true, onDelete: "cascade" },
        { name: "Product", type: "reference", target: "Product", indexed: true },
        { name: "Quantity", type: "number" },
      ],
    },
  ],
} as const satisfies Readonly<Record<string, readonly NamedClass[]>>;

/** The classes of a model file. `null`: the text is none. */
export function classesOfFile(text: string): readonly NamedClass[] | null {
  try {
    const { classes } = JSON.parse(text) as { readonly classes?: readonly NamedClass[] };
    const areNamed = Array.isArray(classes) && classes.every((each) => typeof each?.name === "string");
    return areNamed ? (classes as readonly NamedClass[]) : null;
  } catch {
    return null;
  }
}

/**
 * Creates classes, or redefines them. Classes can refer to one another in circles: attributes whose target comes later are
 * added in the end. Rejects with the refusal of the first class.
 */
export async function putClasses(data: SallyportClient, classes: readonly NamedClass[]): Promise<void> {
  const { classes: present } = await data.getStructure();
  for (const { name, ...definition } of stepsOf(classes, new Set(present.map((each) => each.name))))
    await data.putClass(name, definition);
}

/** The classes in an order in which each base exists, and once more with attributes that had to wait. */
export function stepsOf(classes: readonly NamedClass[], present: ReadonlySet<string>): readonly NamedClass[] {
  const existing = new Set(present);
  const later: NamedClass[] = [];
  const steps = basesFirst(classes).map((each) => {
    existing.add(each.name);
    const attributes: Attributes = (each.attributes ?? []).filter(
      ({ target }) => target === undefined || existing.has(target),
    );
    if (attributes.length < (each.attributes ?? []).length) later.push(each);
    return { ...each, attributes };
  });
  return [...steps, ...later];
}

function basesFirst(classes: readonly NamedClass[]): readonly NamedClass[] {
  const byName = new Map(classes.map((each) => [each.name, each]));
  const ordered = new Set<NamedClass>();
  const visit = (each: NamedClass | undefined, below: readonly NamedClass[]): void => {
    // A circle of bases is refused by the server.
    if (each === undefined || ordered.has(each) || below.includes(each)) return;
    visit(byName.get(each.base ?? ""), [...below, each]);
    ordered.add(each);
  };
  for (const each of classes) visit(each, []);
  return [...ordered];
}
