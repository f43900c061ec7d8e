export { type RunningServer, startServer } from "./composition/start-server.ts";
export { type Configuration, type ConfigurationSources, loadConfiguration } from "./configuration/index.ts";
