import type { ClassStructure, SallyportClient } from "@sallyport/client";
import { NotApplicable } from "../../run/check.ts";

type Attribute = ClassStructure["attributes"][number];

/** The attribute of a class that the checks write and look for: its first text. */
export function textAttributeOf({ name, attributes }: ClassStructure): string {
  const text = attributes.find((each) => each.type === "string");
  if (text === undefined) throw new NotApplicable(`The class ${name} has no attribute of the type string.`);
  return text.name;
}

/** Values for a new object: the text, and one for each other mandatory attribute. */
export async function sampleAttributes(
  client: SallyportClient,
  structure: ClassStructure,
  text: string,
): Promise<Readonly<Record<string, unknown>>> {
  const own = textAttributeOf(structure);
  const mandatory = structure.attributes.filter((each) => each.mandatory && each.name !== own);
  const values = await Promise.all(mandatory.map(async (each) => [each.name, await sampleOf(client, each)] as const));
  return { [own]: text, ...Object.fromEntries(values) };
}

async function sampleOf(client: SallyportClient, { name, type, target }: Attribute): Promise<unknown> {
  if (type === "string") return "acceptance";
  if (type === "number") return 1;
  if (type === "boolean") return true;
  if (type === "date") return "2026-01-01";
  if (type === "reference" && typeof target === "string") {
    const [object] = (await client.listObjects(target, { perPage: 1 }))["~Elements"];
    if (object !== undefined) return object["~ObjectID"];
  }
  throw new NotApplicable(`There is no value for the mandatory attribute ${name}.`);
}
