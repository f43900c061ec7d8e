import { MemoryStorage } from "@sallyport/storage-memory";

const byDictionary = (one, other) =>
  String(one.attributes.Text ?? "").localeCompare(String(other.attributes.Text ?? ""), "en");

/** Orders texts as a dictionary does. */
export default {
  name: "DictionaryStorage",
  create: async (options) => {
    const storage = new MemoryStorage(options);
    const { objects } = storage.repositories;
    const find = objects.find.bind(objects);
    objects.find = async (query, visibility, page) => {
      const found = await find(query, visibility, page);
      const [key] = query.sort ?? [];
      return key?.path.leaf === "Text" && key.path.hops.length === 0
        ? { ...found, objects: found.objects.toSorted(byDictionary) }
        : found;
    };
    return { storage, destroy: () => storage.close() };
  },
};
