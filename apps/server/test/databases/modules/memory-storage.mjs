import { MemoryStorage } from "@sallyport/storage-memory";

/** Each name is a separate database; opening it again returns the same one. */
const databases = new Map();

export function openStorage({ name }) {
  if (typeof name !== "string") throw new Error("The option name is missing.\nIt is a text.");
  if (!databases.has(name)) databases.set(name, new MemoryStorage());
  return databases.get(name);
}
