/** Where the code of the reference storage is, whose mutants measure the conformance kit. */
export const reference = [
  "packages/storage/src/kernel",
  "packages/storage/src/repositories",
  "packages/storage-memory/src",
];

/** Packages that a run of the kit on the reference loads. */
export const packages = ["storage", "core", "storage-memory", "conformance-kit"];

/**
 * Mutants that no check can notice, with the reason: the line of the code without its indentation, what was changed, and what
 * it became. An entry whose mutant is gone, or killed, fails the run.
 */
export const accepted = [];
