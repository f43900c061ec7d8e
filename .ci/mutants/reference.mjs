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
export const accepted = [
  ...[
    [
      "state.ts",
      "return Object.fromEntries(tables.map(([name, table]) => [name, table.copy()])) as unknown as State;",
      "[name, table.copy()]",
      "[ table.copy()]",
    ],
    [
      "state.ts",
      "return Object.fromEntries(tables.map(([name, table]) => [name, table.copy()])) as unknown as State;",
      "[name, table.copy()]",
      "[name, ]",
    ],
    [
      "state.ts",
      "table.replace(copy[name] as unknown as AnyTable);",
      "table.replace(copy[name] as unknown as AnyTable);",
      "",
    ],
    [
      "memory-storage.ts",
      "const kept = await this.mutex.run(() => copyState(this.state));",
      "copyState(this.state)",
      "this.state",
    ],
  ].map(survivor("No call of a port makes a snapshot. The tests of other packages use them.")),
  ...[
    [
      "memory-storage.ts",
      "if (this.current.getStore()?.running === true) {",
      "this.current.getStore()?.running === true",
      "false",
    ],
    ["memory-storage.ts", "if (this.current.getStore()?.running === true) {", "true", "false"],
    [
      "memory-storage.ts",
      'throw new ServiceError(799, { detail: "A transaction must await only its own repositories." });',
      'throw new ServiceError(799, { detail: "A transaction must await only its own repositories." });',
      "",
    ],
    [
      "memory-storage.ts",
      'throw new ServiceError(799, { detail: "A transaction must await only its own repositories." });',
      "799",
      "800",
    ],
    ["access.ts", "return !this.ended;", "!this.ended", "this.ended"],
  ].map(survivor("It refuses a misuse that the port leaves open. The tests of the storage prove it.")),
];

function survivor(reason) {
  return ([file, code, was, replacement]) => ({
    path: `packages/storage-memory/src/${file}`,
    code,
    was,
    replacement,
    reason,
  });
}
