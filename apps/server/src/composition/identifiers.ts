import { parts } from "./parts.ts";
import { useCaseIdentifiers } from "./use-cases.ts";

/** Everything that the container knows. */
export const identifiers = { ...parts, ...useCaseIdentifiers } as const;
