export { administrationTable, operatorTable } from "./administration/administration-table.ts";
export { MacroArguments } from "./macro-arguments.ts";
export { DatabaseKeys, type KeySet, type PublishedKeys } from "./database-keys.ts";
export { DatabaseRequests } from "./database-requests.ts";
export type { LoadGauge, NetworkBudget } from "./load-gauge.ts";
export type { Monitoring, Readiness } from "./monitoring.ts";
export { decodeUtf8, parseUniqueObject } from "./body/json.ts";
export { Connections } from "./connections/connections.ts";
export type { OpenApiDocument, OperationObject } from "./openapi/open-api.ts";
export { openApiDocument, type OpenApiParts } from "./openapi/open-api-document.ts";
export type { ReachSettings } from "./administration-reach.ts";
export type { RefusalRecorder } from "./pipeline/refused-requests.ts";
export type { Console, ConsoleLook } from "./console/console-router.ts";
export type { DemoAccess, Playground } from "./playground/playground-pages.ts";
export { JsonText, nothing, type Route } from "./route.ts";
export { routeTable } from "./routes/route-table.ts";
export { type Application, type ApplicationParts, createApplication } from "./server/create-application.ts";
export { createServer, type ServerLimits, type ServerTimeouts, type TlsCredentials } from "./server/create-server.ts";
export {
  type DatabaseDirectory,
  type DatabaseEntry,
  type HttpLimits,
  httpLimits,
  type HttpSettings,
  type ItemRecord,
  type RequestObserver,
  type RequestRecord,
  type TrafficRecorder,
} from "./http-settings.ts";
