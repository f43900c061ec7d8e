import { MemoryKernel } from "@sallyport/storage-memory";

/** A kernel of another version, or one that lacks a method. */
export function openKernel({ version, lacks }) {
  return Object.assign(
    new MemoryKernel(),
    version === undefined ? {} : { version },
    lacks ? { [lacks]: undefined } : {},
  );
}
