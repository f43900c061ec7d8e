import { components } from "./components.ts";
import { useCaseIdentifiers } from "./use-cases.ts";

/** All identifiers of the container. */
export const identifiers = { ...components, ...useCaseIdentifiers } as const;
