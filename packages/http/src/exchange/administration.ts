import { explained, ServiceError } from "@sallyport/storage";
import { mayAdminister, requireRecentProof } from "@sallyport/core";
import type { Route } from "../route.ts";
import { sessionEndedCode } from "./credentials.ts";
import type { Exchange, Step } from "./exchange.ts";

/** Whether a route works during maintenance and overload. Administrators could not end them otherwise. A preflight has no route. */
export function isSpared(route: Route | undefined): boolean {
  return route?.administration === true;
}

/** On an administration route, refuses the session of a user who is not an administrator any more, like an ended one. */
export const checkAdministrator = ({ access, route, admission, credentials }: Exchange): void => {
  if (access !== "session" || !route.administration || mayAdminister(admission.principal)) return;
  throw explained(new ServiceError(sessionEndedCode(credentials)), {
    asked: "Is the user an administrator?",
    found: "No, not any more.",
  });
};

/** Throws 802 without a recent proof. */
export const checkProof: Step = ({ database, session }) => {
  if (session === null) return;
  return requireRecentProof(database.storage.repositories, session.digest);
};
