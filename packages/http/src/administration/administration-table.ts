import { administrationOperations } from "@sallyport/contract";
import { type Route, routesOf } from "../routes/route.ts";
import type { UseCases } from "../routes/use-cases.ts";
import { accessHandlers, administrationDescriptionHandlers, maintenanceHandlers } from "./access-handlers.ts";
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

/** All administration routes of a database, with an API description of their own. */
export function administrationTable(useCases: UseCases): Route[] {
  return routesOf(administrationOperations, {
    access: accessHandlers(useCases),
    users: userHandlers(useCases),
    customUsers: administeredCustomUserHandlers(useCases),
    applications: applicationHandlers(useCases),
    rules: ruleHandlers,
    sessions: liveSessionHandlers,
    audit: auditHandlers,
    refusals: refusalHandlers(useCases),
    providers: administeredProviderHandlers(useCases),
    classRights: classRightsHandlers(useCases),
    maintenance: maintenanceHandlers,
    limits: limitHandlers,
    examination: examinationHandlers(useCases),
    keys: keyHandlers(useCases),
    synchronization: syncAdministrationHandlers(useCases),
    macros: administeredMacroHandlers,
    description: administrationDescriptionHandlers,
  });
}
