export { banner, type BannerDatabase, type BannerParts } from "./banner.ts";
export { readImitationAddress } from "./imitation-address.ts";
export { demoCredentials } from "./demo-credentials.ts";
export { type DemoParts, type DemoState, holdsDemo, seedDemo } from "./seed-demo.ts";
export { terminalStyle, type TerminalStyle } from "./terminal-style.ts";
export { type DemoProviders, type DemoProvidersOptions, startDemoProviders } from "./start-demo-providers.ts";
