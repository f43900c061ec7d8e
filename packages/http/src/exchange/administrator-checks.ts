import { explained, ServiceError } from "@sallyport/storage";
import { type AdministrationRights, administrationRightsOf, requireRecentProof } from "@sallyport/core";
import type { Route } from "../route.ts";
import { sessionEndedCode } from "./credentials.ts";
import type { Exchange, Step } from "./exchange.ts";

/** Whether a route works during maintenance and overload. Administrators could not end them otherwise. A preflight has no route. */
export function isSpared(route: Route | undefined): boolean {
  return route?.administration === true;
}

/**
 * On an administration route, refuses the session of a user who is not an administrator any more, like an ended one. Throws
 * 404 for an administrator whose present rights the route does not take.
 */
export const checkAdministrator = ({
  access,
  route,
  admission: { principal },
  credentials,
  database,
}: Exchange): void | Promise<void> => {
  if (access !== "session" || !route.administration || principal?.administrator === true) return;
  const check = (rights: AdministrationRights | null) => {
    if (rights === null) {
      const found = "No, not any more.";
      throw explained(new ServiceError(sessionEndedCode(credentials)), {
        asked: "Is the user an administrator?",
        found,
      });
    }
    if (route.rights.includes(rights)) return;
    const error = new ServiceError(404, { detail: `Administrators with the rights "${rights}" cannot do this.` });
    throw explained(error, {
      asked: "Do the rights of the administrator suffice?",
      found: `No: they are "${rights}".`,
    });
  };
  if (principal === null) return check(null);
  return administrationRightsOf(database.storage.repositories, principal).then(check);
};

/** Throws 802 without a recent proof. */
export const checkProof: Step = ({ database, session }) => {
  if (session === null) return;
  return requireRecentProof(database.storage.repositories, session.digest);
};
