import { ServiceError } from "../errors/service-error.ts";
import type { Principal } from "./principal.ts";

/** Refuses with 404 whoever is no administrator. */
export function requireAdministrator({ administrator }: Principal): void {
  if (!administrator) throw new ServiceError(404);
}
