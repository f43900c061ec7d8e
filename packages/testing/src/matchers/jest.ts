import { extendExpect } from "./extend-expect.ts";

extendExpect(globalThis as Parameters<typeof extendExpect>[0]);
