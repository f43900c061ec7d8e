import { MemoryStorage } from "@sallyport/storage-memory";

/** A storage of an earlier version, which lacks a call. */
export function openStorage() {
  const storage = new MemoryStorage();
  const { find: _find, ...objects } = storage.repositories.objects;
  return Object.assign(storage, { repositories: { ...storage.repositories, objects } });
}
