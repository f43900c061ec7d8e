import { authenticatorSuite } from "./authenticator-suite.ts";
import { customPasswordEnvironment, customPasswordSuite } from "./custom-password-suite.ts";
import { customUserEnvironment, customUserSuite } from "./custom-user-suite.ts";
import { onEngines } from "./engines.ts";

onEngines(
  "custom users",
  (server) => {
    describe("with an account", () => {
      customUserSuite(server);
    });
    describe("with a password", () => {
      customPasswordSuite(server);
    });
    describe("with an authentication hook", () => {
      authenticatorSuite(server);
    });
  },
  { environment: { ...customUserEnvironment, ...customPasswordEnvironment } },
);
