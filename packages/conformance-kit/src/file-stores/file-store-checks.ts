import { failureChecks } from "./failures.ts";
import type { FileStoreCheck } from "./file-store-check.ts";
import { listingChecks } from "./listing.ts";
import { readingChecks } from "./reading.ts";
import { removingChecks } from "./removing.ts";
import { resourceChecks } from "./resources.ts";
import { creatingChecks, writingChecks } from "./writing.ts";

/** All checks of the file store contract, by group. */
export const fileStoreChecks: readonly FileStoreCheck[] = [
  ...creatingChecks,
  ...writingChecks,
  ...readingChecks,
  ...removingChecks,
  ...listingChecks,
  ...failureChecks,
  ...resourceChecks,
];

/** Declared separately, so that no check can disappear unnoticed. */
export const numberOfFileStoreChecks = 69;
