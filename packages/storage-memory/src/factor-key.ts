import type { FactorKey } from "@sallyport/core";

/** Under which a factor stands in its table: texts that are storable hold no zero character. */
export function factorKey({ subject, appName }: FactorKey): string {
  return `${subject}\0${appName}`;
}
