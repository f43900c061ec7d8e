import { MemoryKernel } from "@sallyport/storage-memory";

/** A kernel without repositories: the server has them. */
export function openKernel({ name }, clock) {
  if (name === undefined) throw new Error("The option name is missing.");
  return new MemoryKernel(clock);
}
