import { parts } from "./parts.ts";
import { useCaseIdentifiers } from "./use-cases.ts";

/** All identifiers of the container. */
export const identifiers = { ...parts, ...useCaseIdentifiers } as const;
