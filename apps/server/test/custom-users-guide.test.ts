import { customPasswordEnvironment } from "./custom-password-suite.ts";
import { guideSuite } from "./guide-suite.ts";

guideSuite("custom-users.md", 5, customPasswordEnvironment);
