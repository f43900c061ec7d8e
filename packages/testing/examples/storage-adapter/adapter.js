import { MemoryStorage } from "@sallyport/storage-memory";

/** Stands for the adapter of the team. The server calls `openStorage` for each database. */
export function openStorage() {
  return new MemoryStorage();
}
