import { guideSuite } from "./guide-suite.ts";

guideSuite("two-factor.md", 8, { MASTER_KEY: Buffer.alloc(32, 7).toString("base64") });
