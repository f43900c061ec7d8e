import type { LockData } from "@sallyport/contract";

/** Whether an object is locked, and in words by whom and since when. */
export type Lock = LockData;
