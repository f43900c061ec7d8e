import type { Tables } from "../tables.ts";

/**
 * The key of the advisory lock between those who write objects, who share it, and those who change the model, who have it
 * alone: what is written fits the model under which it is committed.
 */
export function modelLock({ schema }: Tables): string {
  return `hashtextextended('sallyport:${schema}:model', 0)`;
}
