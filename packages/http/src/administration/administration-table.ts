import { administrationOperations } from "@sallyport/contract";
import { type Route, routesOf } from "../route.ts";
import {
  accessHandlers,
  administrationDescriptionHandlers,
  consoleHandlers,
  maintenanceHandlers,
} from "./access-handlers.ts";
import { applicationHandlers } from "./application-handlers.ts";
import { administeredCustomUserHandlers } from "./custom-user-handlers.ts";
import {
  administeredMacroHandlers,
  classRightsHandlers,
  examinationHandlers,
  keyHandlers,
} from "./database-handlers.ts";
import { limitHandlers } from "./limit-handlers.ts";
import { administeredProviderHandlers } from "./provider-handlers.ts";
import { refusalHandlers } from "./refusal-handlers.ts";
import { ruleHandlers } from "./rule-handlers.ts";
import { auditHandlers, liveSessionHandlers } from "./session-handlers.ts";
import { syncAdministrationHandlers } from "./synchronization-handlers.ts";
import { userHandlers } from "./user-handlers.ts";

/** The routes of the operator: those that an administrator uses with a session. None needs a proof. */
export function operatorTable(): Route[] {
  const routes = administrationTable().filter(({ access }) => access === "session");
  return routes.map(({ proof: _proof, ...route }) => route);
}

/** All administration routes of a database, with an API description of their own. */
export function administrationTable(): Route[] {
  return routesOf(administrationOperations, {
    access: accessHandlers,
    console: consoleHandlers,
    users: userHandlers,
    customUsers: administeredCustomUserHandlers,
    applications: applicationHandlers,
    rules: ruleHandlers,
    sessions: liveSessionHandlers,
    audit: auditHandlers,
    refusals: refusalHandlers,
    providers: administeredProviderHandlers,
    classRights: classRightsHandlers,
    maintenance: maintenanceHandlers,
    limits: limitHandlers,
    examination: examinationHandlers,
    keys: keyHandlers,
    synchronization: syncAdministrationHandlers,
    macros: administeredMacroHandlers,
    description: administrationDescriptionHandlers,
  });
}
