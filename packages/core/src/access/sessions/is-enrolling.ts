import type { Session } from "../../storage/index.ts";

/** The app names of a session that is good for setting up second factors and nothing else: it was let into no app. */
export const enrollingAppNames: readonly string[] = Object.freeze([]);

/** Whether it is such a session. */
export function isEnrolling({ appNames }: Pick<Session, "appNames">): boolean {
  return appNames.length === 0;
}
