import type { Principal } from "./principal.ts";

/** As whom the service itself has something done before it is known for whom: there is nobody yet whose rights could be used. */
export const unattendedPrincipal: Principal = Object.freeze({
  userId: "0",
  groups: Object.freeze([]),
  administrator: true,
});
