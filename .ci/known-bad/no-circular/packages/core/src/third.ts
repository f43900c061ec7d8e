import type { first } from "./bad.ts";
export const third = (): typeof first => () => 1;
