import { MemoryStorage } from "@sallyport/storage-memory";

/** Stands for the adapter of the team. The server calls `openStorage` for each database. Only tests set the clock. */
export function openStorage(options, clock) {
  return new MemoryStorage(clock);
}
