import type { TagName } from "../openapi/open-api.ts";
import type { Route } from "../routes/route.ts";
import type { UseCases } from "../routes/use-cases.ts";
import { accessRoutes, administrationDescriptionRoute, maintenanceRoutes } from "./access-routes.ts";
import { appKeyRoutes, appRoutes } from "./application-routes.ts";
import { customUserAdministrationRoutes } from "./custom-user-routes.ts";
import { limitRoutes } from "./limit-routes.ts";
import {
  classRightsRoutes,
  examinationRoutes,
  keyRoutes,
  macroAdministrationRoutes,
  mailRoutes,
} from "./operation-routes.ts";
import { linkRoutes, providerAdministrationRoutes } from "./provider-administration-routes.ts";
import { refusalRoutes } from "./refusal-routes.ts";
import { appRuleRoutes, banRoutes, deviceRoutes } from "./rule-routes.ts";
import { auditRoutes, liveSessionRoutes } from "./session-routes.ts";
import { synchronizationRoutes } from "./synchronization-routes.ts";
import { groupRoutes, userRoutes } from "./user-routes.ts";

/** All administration routes of a database, with an API description of their own. A group of routes is one line. */
export function administrationTable(useCases: UseCases): Route[] {
  const groups: readonly (readonly [TagName, readonly Route[]])[] = [
    ["Access", accessRoutes(useCases)],
    ["Users", [...userRoutes(useCases), ...groupRoutes(useCases)]],
    ["Custom users", customUserAdministrationRoutes(useCases)],
    ["Applications", [...appKeyRoutes(useCases), ...appRoutes(useCases)]],
    ["Access rules", [...deviceRoutes(), ...banRoutes(), ...appRuleRoutes()]],
    ["Sessions", liveSessionRoutes()],
    ["Audit", [...auditRoutes(), ...refusalRoutes(useCases)]],
    ["Providers", [...providerAdministrationRoutes(useCases), ...linkRoutes()]],
    ["Model", classRightsRoutes(useCases)],
    [
      "Operations",
      [
        ...maintenanceRoutes(),
        ...limitRoutes(),
        ...examinationRoutes(useCases),
        ...keyRoutes(useCases),
        ...mailRoutes(),
      ],
    ],
    ["Synchronization", synchronizationRoutes(useCases)],
    ["Macros", macroAdministrationRoutes()],
    ["Access", [administrationDescriptionRoute(() => routes)]],
  ];
  const routes = groups.flatMap(([tag, members]) => members.map((route): Route => ({ ...route, tag })));
  return routes;
}
