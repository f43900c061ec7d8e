import { guideSuite } from "./guide-suite.ts";

guideSuite("multi.md", 3);
