import type { Badge } from "./badge.ts";

/** A badge as an endpoint that shields.io reads; ends with a line break. */
export function badgeEndpoint({ label, message, color }: Badge): string {
  return `${JSON.stringify({ schemaVersion: 1, label, message, color }, null, 2)}\n`;
}
