import { extendExpect } from "./matchers.ts";

extendExpect(globalThis as Parameters<typeof extendExpect>[0]);
