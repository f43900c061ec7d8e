/** A group of operations: a heading of the API description. */
export interface Tag {
  readonly name: TagName;
  readonly description: string;
}

/** In the order in which they are best read. */
const tags = [
  { name: "Sessions", description: "Log in, check a session and log out." },
  { name: "Providers", description: "Log in with an external identity provider, and the caller's own links." },
  { name: "Custom users", description: "Users without a database account." },
  { name: "Passwords", description: "Change and reset passwords." },
  { name: "Second factors", description: "Set up and check second factors." },
  { name: "Objects", description: "Read and write business objects." },
  { name: "Macros", description: "Run macros on the server." },
  { name: "Model", description: "The classes of the database." },
  { name: "Service", description: "The service itself, and several requests in one." },
] as const;

export type TagName = (typeof tags)[number]["name"];

/** The tags with these names, in their order. */
export function tagsOf(names: Iterable<TagName>): Tag[] {
  const used = new Set(names);
  return tags.filter(({ name }) => used.has(name));
}
