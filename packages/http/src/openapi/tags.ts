/** A group of operations; those who read the description see it as a heading. */
export interface Tag {
  readonly name: string;
  readonly description: string;
}

const groups: readonly (Tag & { readonly paths: RegExp })[] = [
  { name: "Sessions", description: "Coming in, staying and leaving.", paths: /^\/(?:v[12]\/log(?:in|out)|_CheckSession)/ },
  { name: "Providers", description: "Accounts of external identity providers.", paths: /^\/v1\/(?:auth\/(?:\{providerName\}|links)|extLogin|\{providerName\}\/callback)/ },
  { name: "Objects", description: "Business objects.", paths: /^\/v1\/(?:objects?|lock)\// },
  { name: "Model", description: "The classes of the database.", paths: /^\/v1\/model\// },
  { name: "Service", description: "The service itself.", paths: /^/ },
];

/** The group of the operations of a path. */
export function tagOf(path: string): string {
  return groups.find(({ paths }) => paths.test(path))?.name ?? "";
}

/** The groups of these paths, in the order in which they are best read. */
export function tagsOf(paths: readonly string[]): Tag[] {
  const named = new Set(paths.map(tagOf));
  return groups.filter(({ name }) => named.has(name)).map(({ name, description }) => ({ name, description }));
}
